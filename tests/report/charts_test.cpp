// Bars, scatter plots and heat maps, read back from their own markup.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "bpo/report/bar_chart.h"
#include "bpo/report/heat_map.h"
#include "bpo/report/scatter_chart.h"
#include "tests/support/svg_numbers.h"
#include "tests/support/xml.h"

namespace bpo::report {
namespace {

using test::attribute;
using test::occurrences;
using test::ReadScale;
using test::xml_fault;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
const std::string kHostile = "</text><script>alert(\"1\")</script>";

double number(const std::string& xml, const char* name, std::size_t from) {
  return std::stod(attribute(xml, name, from));
}

BarChart bars() {
  return {"Return",
          "mean",
          {"bpo", "up-mle"},
          {{"tiger", {Bar{19.2, 0.5, 17.9}, Bar{-9.0, 0.25}}}, {"chain", {{}, Bar{kNaN}}}},
          "the paper"};
}

TEST(BarChart, LengthsAreTheData) {
  const std::string svg = draw(bars());
  ASSERT_EQ(xml_fault(svg), "");
  EXPECT_EQ(occurrences(svg, "class=\"mark\""), 2) << "one is absent, one is not finite";
  const ReadScale x(svg, "x");
  const double unit = (x.high - x.low) / (x.to - x.from);
  const auto first = svg.find("class=\"mark\""), second = svg.find("class=\"mark\"", first + 1);
  EXPECT_NEAR(number(svg, "width", first) * unit, 19.2, 2 * x.tolerance());
  EXPECT_NEAR(x(number(svg, "x", first)), 0.0, x.tolerance()) << "to the right of zero";
  EXPECT_NEAR(number(svg, "width", second) * unit, 9.0, 2 * x.tolerance());
  EXPECT_NEAR(x(number(svg, "x", second)), -9.0, x.tolerance()) << "to the left of zero";
  const auto whisker = test::numbers(attribute(svg, "points", first));
  EXPECT_NEAR(x(whisker[0]), 18.7, x.tolerance());
  EXPECT_NEAR(x(whisker[2]), 19.7, x.tolerance());
  EXPECT_NE(svg.find("bpo: 19.2 \xC2\xB1 0.5; the paper: 17.9"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(BarChart, HostileAndEmpty) {
  BarChart hostile = bars();
  hostile.title = hostile.series[0] = hostile.groups[0].name = hostile.reference = kHostile;
  EXPECT_EQ(xml_fault(draw(hostile)), "");
  EXPECT_EQ(draw(hostile).find("<script"), std::string::npos);
  for (const BarChart& none : {BarChart{}, BarChart{"t", "x", {"a"}, {{"", {Bar{kNaN}}}}}}) {
    EXPECT_EQ(xml_fault(draw(none)), "");
    EXPECT_EQ(occurrences(draw(none), "no data"), 1);
  }
}

TEST(ScatterChart, PointsAreTheDataOnEqualAxes) {
  const ScatterChart data{"Episodes", "a", "b", {{"b", {1, 2, kNaN, 4}, {3, 8, 1, -2}}}};
  const std::string svg = draw(data);
  ASSERT_EQ(xml_fault(svg), "");
  const ReadScale x(svg, "x"), y(svg, "y");
  EXPECT_EQ(x.low, y.low);
  EXPECT_EQ(x.high, y.high);
  EXPECT_NEAR(x.to - x.from, y.from - y.to, 1e-9) << "a unit is as long on both";
  const std::string part = test::series(svg, 0);
  EXPECT_EQ(occurrences(part, "<circle"), 3);
  std::size_t at = 0;
  for (const auto& [a, b] : {std::pair{1.0, 3.0}, {2.0, 8.0}, {4.0, -2.0}}) {
    at = part.find("<circle", at + 1);
    EXPECT_NEAR(x(number(part, "cx", at)), a, x.tolerance());
    EXPECT_NEAR(y(number(part, "cy", at)), b, y.tolerance());
  }
  const auto diagonal =
      test::numbers(attribute(svg, "points", svg.find("stroke-width=\"1.4\"") - 90));
  ASSERT_EQ(diagonal.size(), 4u);
  EXPECT_NEAR(x(diagonal[0]), y(diagonal[1]), x.tolerance());
  EXPECT_NEAR(x(diagonal[2]), y(diagonal[3]), x.tolerance());
}

TEST(ScatterChart, HostileAndEmpty) {
  const std::string hostile =
      draw(ScatterChart{kHostile, kHostile, kHostile, {{kHostile, {1}, {2}}}});
  EXPECT_EQ(xml_fault(hostile), "");
  EXPECT_EQ(hostile.find("<script"), std::string::npos);
  EXPECT_EQ(occurrences(draw(ScatterChart{}), "no data"), 1);
  EXPECT_EQ(xml_fault(draw(ScatterChart{"", "", "", {{"a", {1, 2}, {kNaN}}}})), "");
}

HeatMap heat() {
  return {.title = "Belief",
          .x_label = "front",
          .y_label = "back",
          .rows = {{0.0, 0.25, kNaN}, {0.5, 1.0, 0.125}},
          .row_names = {"r0", "r1"},
          .column_names = {"c0", "c1", "c2"},
          .marked = {{1, 2}},
          .full = 1.0};
}

TEST(HeatMap, ShadesAreTheDataAndTheFirstRowIsLowest) {
  const std::string svg = draw(heat());
  ASSERT_EQ(xml_fault(svg), "");
  EXPECT_EQ(occurrences(svg, "data-cell="), 5) << "one value is not finite";
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  const auto cell = [&](const char* name) { return svg.find(std::string("data-cell=\"") + name); };
  EXPECT_EQ(attribute(svg, "fill-opacity", cell("0 1")), "0.25");
  EXPECT_EQ(attribute(svg, "fill-opacity", cell("1 0")), "0.5");
  EXPECT_EQ(attribute(svg, "fill-opacity", cell("0 0")), "0");
  EXPECT_GT(number(svg, "y", cell("0 0")), number(svg, "y", cell("1 0")));
  EXPECT_LT(number(svg, "x", cell("1 0")), number(svg, "x", cell("1 1")));
  EXPECT_NE(svg.find("front c1, back r0: 0.25"), std::string::npos);
  // The outline of the truth lies on its cell.
  const std::string place = fmt::format("x=\"{}\" y=\"{}\"", attribute(svg, "x", cell("1 2")),
                                        attribute(svg, "y", cell("1 2")));
  EXPECT_EQ(occurrences(svg, place), 2);
}

TEST(HeatMap, OverTimeAColumnIsAMoment) {
  HeatMap map = heat();
  map.over_time = true;
  map.marked = {{0, 0}, {1, 1}, {1, 2}};
  const std::string svg = draw(map);
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_EQ(occurrences(svg, " data-t=\""), 3);
  EXPECT_EQ(occurrences(svg, "fill-opacity"), 4 + 4) << "cells below full shade, and the key's";
}

TEST(HeatMap, HostileAndEmpty) {
  HeatMap hostile = heat();
  hostile.title = hostile.x_label = hostile.row_names[0] = hostile.column_names[1] = kHostile;
  EXPECT_EQ(xml_fault(draw(hostile)), "");
  EXPECT_EQ(draw(hostile).find("<script"), std::string::npos);
  EXPECT_EQ(xml_fault(draw(HeatMap{})), "");
  EXPECT_EQ(occurrences(draw(HeatMap{}), "no data"), 1);
  EXPECT_EQ(shade(kNaN, 1.0), 0.0);
  EXPECT_EQ(shade(2.0, 1.0), 1.0);
  EXPECT_EQ(shade(1.0, 0.0), 0.0);
}

}  // namespace
}  // namespace bpo::report
