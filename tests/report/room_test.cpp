// The room figure from data whose pixels are easily told: eight units are 320 pixels.
#include "bpo/report/room.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/xml.h"

namespace bpo::report {
namespace {

using test::occurrences;
using test::xml_fault;

constexpr const char* kTrueDot = "r=\"3.2\" fill=\"#D55E00\"";
constexpr int kInLegend = 1;

RoomPanel panel() {
  return {.title = "bpo, seed 0",
          .source = "runs/<a>",
          .room = {.left = -1.0,
                   .right = 7.0,
                   .bottom = -2.0,
                   .top = 4.0,
                   .light = 5.0,
                   .goal = 2,
                   .reach = 0.1},
          .goal = {1.0, 0.0},
          .positions = {{3.0, 1.0}, {3.5, 1.0}, {4.0, 1.5}},
          .means = {{2.0, 2.0}, {3.0, 1.5}, {4.0, 1.5}},
          .variances = {2.25, 1.0, 0.25},
          .total = -176.04};
}

std::string draw(const std::vector<RoomPanel>& panels) {
  return room_figure(panels, "lightdark, episode 3 of seed 0");
}

TEST(RoomFigure, ShowsPathBeliefAndGoal) {
  const std::string svg = draw({panel()});
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_EQ(occurrences(svg, kTrueDot), 3 + kInLegend);
  // The corner of the room is at (34, 70): x = 34 + 40 (x + 1), y = 70 + 40 (4 - y).
  for (const char* shape :
       {"points=\"194,190 214,190 234,170\" fill=\"none\" stroke=\"#D55E00\"",
        "points=\"154,150 194,170 234,170\" fill=\"none\" stroke=\"#0072B2\"",
        "cx=\"154\" cy=\"150\" r=\"60\" fill=\"#56B4E9\"",  // one standard deviation: 1.5
        "cx=\"234\" cy=\"170\" r=\"20\" fill=\"#56B4E9\"",  // 0.5
        "cx=\"114\" cy=\"230\" r=\"4\" fill=\"none\"",      // the goal's reach
        "points=\"274,310 274,70\" fill=\"none\" stroke=\"#E69F00\"",  // the light
        "x=\"34\" y=\"70\" width=\"320\" height=\"240\" fill=\"none\" stroke=\"#000000\"",
        ">bpo, seed 0</text>", ">return -176.0 in 2 steps</text>", "goal (within 0.1)",
        "lightdark, episode 3 of seed 0", "<title>runs/&lt;a&gt;</title>"}) {
    EXPECT_NE(svg.find(shape), std::string::npos) << shape << " in\n" << svg;
  }
}

TEST(RoomFigure, IsBrightestInTheLight) {
  const std::string svg = draw({panel()});
  EXPECT_NE(svg.find("<stop offset=\"0\" stop-color=\"#A0A0A0\"/><stop offset=\"0.75\" "
                     "stop-color=\"#FFFFFF\"/><stop offset=\"1\" stop-color=\"#DFDFDF\"/>"),
            std::string::npos)
      << svg;
  RoomPanel outside = panel();
  outside.room.light = 9.0;
  EXPECT_NE(draw({outside}).find("<stop offset=\"0\" stop-color=\"#A0A0A0\"/><stop offset=\"1\" "
                                 "stop-color=\"#ECECEC\"/>"),
            std::string::npos);
}

TEST(RoomFigure, PanelsStandSideBySideFourInARow) {
  const auto size = [](int n) {
    const std::string svg = draw(std::vector<RoomPanel>(n, panel()));
    double w = 0.0, h = 0.0;
    EXPECT_EQ(std::sscanf(svg.substr(svg.find("viewBox")).c_str(), "viewBox=\"0 0 %lf %lf", &w, &h),
              2);
    EXPECT_EQ(occurrences(svg, kTrueDot), 3 * n + kInLegend);
    return Point{w, h};
  };
  const Point one = size(1), two = size(2), four = size(4), five = size(5);
  EXPECT_EQ(two.x, 2.0 * one.x);
  EXPECT_EQ(four.x, 4.0 * one.x);
  EXPECT_EQ(five.x, four.x);
  EXPECT_GT(five.y, four.y + 240.0);
  EXPECT_GT(one.y, four.y) << "a narrow figure has more rows of legend";
}

TEST(RoomFigure, BadNumbersAreLeftOut) {
  RoomPanel bad = panel();
  bad.positions[1].x = std::nan("");
  bad.variances[0] = -1.0;
  bad.means[2].y = std::numeric_limits<double>::infinity();
  bad.total = std::nan("");
  const std::string svg = draw({bad});
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_EQ(svg.find("\"nan"), std::string::npos);
  EXPECT_EQ(occurrences(svg, kTrueDot), 2 + kInLegend);
  EXPECT_EQ(occurrences(svg, "fill=\"#56B4E9\""), 1 + kInLegend);
  EXPECT_EQ(xml_fault(draw({RoomPanel{}})), "") << "a room without size";
  EXPECT_EQ(xml_fault(draw({})), "");
}

}  // namespace
}  // namespace bpo::report
