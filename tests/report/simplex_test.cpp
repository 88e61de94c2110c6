// Actions over beliefs: regions lie where the policy's are.
#include "bpo/report/simplex.h"

#include <gtest/gtest.h>

#include "tests/support/svg_numbers.h"
#include "tests/support/xml.h"

namespace bpo::report {
namespace {

/// The area in pixels of an action's rectangles, and where they begin and end.
struct Region {
  double area = 0.0, from = 1e9, to = -1e9;
};

Region region(const std::string& svg, int action) {
  Region out;
  const auto begin = svg.find("data-action=\"" + std::to_string(action) + "\"");
  if (begin == std::string::npos) return out;
  const auto end = svg.find("</g>", begin);
  for (auto at = svg.find("<rect", begin); at < end; at = svg.find("<rect", at + 1)) {
    const double x = std::stod(test::attribute(svg, "x", at));
    const double wide = std::stod(test::attribute(svg, "width", at));
    const double tall = std::stod(test::attribute(svg, "height", at));
    out.area += wide * tall;
    out.from = std::min(out.from, x);
    out.to = std::max(out.to, x + wide);
  }
  return out;
}

TEST(Simplex, AStripIsDividedAtTheThreshold) {
  const std::string svg = draw(SimplexMap{
      "Two", {"left", "right"}, {"low", "high"}, [](const auto& b) { return b[1] > 0.25; }});
  const Region low = region(svg, 0), high = region(svg, 1);
  EXPECT_NEAR(low.area / (low.area + high.area), 0.25, 0.01);
  EXPECT_EQ(low.to, high.from);
  for (const char* words : {"surely left", "surely right", "low", "high", "<title>Two</title>"}) {
    EXPECT_NE(svg.find(words), std::string::npos) << words;
  }
}

TEST(Simplex, ATriangleHasACornerForEachState) {
  // The action is the most probable state: three regions of equal size.
  const auto likeliest = [](const auto& b) {
    return static_cast<int>(std::max_element(b.begin(), b.end()) - b.begin());
  };
  const std::string svg =
      draw(SimplexMap{"Three", {"a", "b", "c"}, {"one", "two", "three", "never"}, likeliest});
  double all = 0.0;
  for (int a : {0, 1, 2}) all += region(svg, a).area;
  for (int a : {0, 1, 2}) EXPECT_NEAR(region(svg, a).area / all, 1.0 / 3.0, 0.02) << a;
  EXPECT_LT(region(svg, 0).from, region(svg, 1).from);
  EXPECT_NEAR(region(svg, 0).from + region(svg, 1).to, region(svg, 2).from + region(svg, 2).to, 4.0)
      << "it is symmetric";
  EXPECT_EQ(svg.find("never"), std::string::npos) << "an action that is not taken has no key";
}

}  // namespace
}  // namespace bpo::report
