// Line charts, read back from their own markup.
#include "bpo/report/line_chart.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "bpo/report/svg.h"
#include "tests/support/svg_numbers.h"
#include "tests/support/xml.h"

namespace bpo::report {
namespace {

using test::attribute;
using test::numbers;
using test::occurrences;
using test::ReadScale;
using test::xml_fault;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

LineChart chart() {
  return {"Learning",
          "iteration",
          "return",
          {{"bpo", {0, 10, 20, 30}, {-5, 3.25, 7, 8.5}, {-6, 2, 6, 8}, {-4, 4, 8, 9}},
           {"up-mle", {0, 10, 20, 30}, {-5, -4, -3.5, -3}}},
          {{"optimum", 10.0}}};
}

TEST(LineChart, CoordinatesAreTheData) {
  const LineChart data = chart();
  const std::string svg = draw(data);
  ASSERT_EQ(xml_fault(svg), "");
  const ReadScale x(svg, "x"), y(svg, "y");
  EXPECT_EQ(occurrences(svg, "class=\"series\""), 2);
  for (int k = 0; k < 2; ++k) {
    const std::string part = test::series(svg, k);
    const auto points = numbers(attribute(part, "points", part.find("<polyline")));
    ASSERT_EQ(points.size(), 8u);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(x(points[2 * i]), data.lines[k].x[i], x.tolerance());
      EXPECT_NEAR(y(points[2 * i + 1]), data.lines[k].y[i], y.tolerance());
    }
  }
  EXPECT_LE(y.low, -6.0) << "the band is inside";
  EXPECT_GE(y.high, 10.0) << "and so is the level";
}

TEST(LineChart, BandGoesAlongTheTopAndBack) {
  const std::string svg = draw(chart());
  const ReadScale y(svg, "y");
  const std::string with = test::series(svg, 0), without = test::series(svg, 1);
  const auto band = numbers(attribute(with, "points", with.find("<polygon")));
  ASSERT_EQ(band.size(), 16u);
  const std::vector<double> expected{-4, 4, 8, 9, 8, 6, 2, -6};
  for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(y(band[2 * i + 1]), expected[i], y.tolerance());
  EXPECT_EQ(occurrences(without, "fill-opacity"), 0) << "no band";
}

TEST(LineChart, LogarithmicAxis) {
  LineChart data = chart();
  data.log_x = true;
  data.lines = {{"a", {0, 1, 10, 1000}, {1, 2, 3, 4}}};
  const std::string svg = draw(data);
  const ReadScale x(svg, "x");
  EXPECT_TRUE(x.log);
  const auto points = numbers(attribute(test::series(svg, 0), "points"));
  ASSERT_EQ(points.size(), 6u) << "zero has no logarithm";
  EXPECT_NEAR(x(points[0]), 1.0, 1e-3);
  EXPECT_NEAR(x(points[2]), 10.0, 1e-2);
  EXPECT_NEAR(x(points[4]), 1000.0, 1.0);
  EXPECT_NEAR(points[2] - points[0], (points[4] - points[0]) / 3.0, 0.02);
}

TEST(LineChart, WhatIsNotFiniteLeavesAGap) {
  LineChart data = chart();
  data.lines = {{"a",
                 {0, 1, 2, 3, 4, 5},
                 {1, 2, kUnknown, 4, std::numeric_limits<double>::infinity(), 6},
                 {0, 1, 2, kUnknown, 4, 5},
                 {2, 3, 4, 5, 6, 7}}};
  data.levels.push_back({"unknown", kUnknown});
  const std::string svg = draw(data);
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_EQ(svg.find("nan"), std::string::npos) << svg;
  EXPECT_EQ(svg.find("inf"), std::string::npos) << svg;
  const std::string part = test::series(svg, 0);
  EXPECT_EQ(occurrences(part, "<polyline"), 1) << "of 0-1; single points make no line";
  EXPECT_EQ(occurrences(part, "<circle"), 4) << "but they are marked";
  EXPECT_EQ(occurrences(part, "<polygon"), 2);
}

TEST(LineChart, WhatIsShownOfTheAxes) {
  LineChart data{"t", "x", "y", {{"a", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, {}}}};
  for (int i = 0; i <= 10; ++i) data.lines[0].y.push_back(i == 0 ? -1000.0 : i);
  EXPECT_LE(ReadScale(draw(data), "y").low, -1000.0);
  data.early = 0.05;
  data.x_range = {-5.0, 7.0};
  const std::string svg = draw(data);
  const ReadScale x(svg, "x"), y(svg, "y");
  EXPECT_GT(y.low, 0.0) << "the first point may leave the plot";
  EXPECT_EQ(x.low, -5.0);
  EXPECT_EQ(x.high, 10.0);
  const auto points = numbers(attribute(test::series(svg, 0), "points"));
  EXPECT_NEAR(y(points[1]), -1000.0, 1.0) << "but it is drawn where it is, and cut";
  data.lines[0].y[0] = -20.0;
  EXPECT_LE(ReadScale(draw(data), "y").low, -20.0) << "it stays where the rest is still to be seen";
  data.lines[0].y[0] = 0.5;
  // A band wider than the lines by more than half is cut.
  data.lines[0].low.assign(11, -1e6);
  data.lines[0].high.assign(11, 12.0);
  const ReadScale banded(draw(data), "y");
  EXPECT_GT(banded.low, -6.0);
  EXPECT_GE(banded.high, 12.0);
}

TEST(LineChart, SeriesDifferByMoreThanColour) {
  LineChart data{"", "", "", {}};
  for (int k = 0; k < 7; ++k) data.lines.push_back({"s", {0, 1}, {0.0, double(k)}});
  const std::string svg = draw(data);
  std::vector<std::string> looks;
  for (int k = 0; k < 7; ++k) {
    const std::string part = test::series(svg, k);
    const std::string line = part.substr(part.find("<polyline"));
    looks.push_back(attribute(line, "stroke") + attribute(line, "stroke-dasharray"));
    EXPECT_EQ(std::count(looks.begin(), looks.end(), looks.back()), 1);
    if (k > 0) {
      EXPECT_NE(attribute(line, "stroke-dasharray"),
                attribute(test::series(svg, k - 1), "stroke-dasharray"))
          << "neighbours also in grey";
    }
  }
}

TEST(LineChart, NothingToSee) {
  for (const LineChart& data :
       {LineChart{"t", "x", "y", {}}, LineChart{"t", "x", "y", {{"a", {}, {}}}},
        LineChart{"t", "x", "y", {{"a", {1, 2}, {kUnknown, kUnknown}}}},
        LineChart{"t", "x", "y", {{"a", {1, 2, 3}, {}}}}}) {
    const std::string svg = draw(data);
    EXPECT_EQ(xml_fault(svg), "");
    EXPECT_EQ(occurrences(svg, "no data"), 1);
    EXPECT_EQ(svg.find("nan"), std::string::npos);
  }
  EXPECT_EQ(occurrences(draw(chart()), "no data"), 0);
  const std::string one = draw(LineChart{"t", "x", "y", {{"a", {5}, {7}}}});
  EXPECT_EQ(xml_fault(one), "");
  EXPECT_EQ(occurrences(test::series(one, 0), "<circle"), 1);
}

TEST(LineChart, HostileNamesStayText) {
  LineChart data = chart();
  data.title = "</text><script>alert(1)</script>";
  data.lines[0].name = "\"><img src=x onerror=alert(1)>";
  data.levels[0].name = "<b>";
  const std::string svg = draw(data);
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_EQ(svg.find("<script"), std::string::npos);
  EXPECT_EQ(svg.find("<img"), std::string::npos);
  EXPECT_NE(svg.find("&lt;b&gt;"), std::string::npos);
}

TEST(LineChart, SameDataSameBytes) { EXPECT_EQ(draw(chart()), draw(chart())); }

}  // namespace
}  // namespace bpo::report
