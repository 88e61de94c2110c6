#include "bpo/report/svg.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "tests/support/xml.h"

namespace bpo::report {
namespace {

using test::occurrences;
using test::xml_fault;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr Style kLine{.stroke = kBlue};

Svg figure() { return {"f", {100.0, 50.0}, "a title", "what is drawn"}; }

TEST(SvgNumber, IsShortAndPlain) {
  EXPECT_EQ(svg_number(1.0), "1");
  EXPECT_EQ(svg_number(-12.5), "-12.5");
  EXPECT_EQ(svg_number(0.126), "0.13");
  EXPECT_EQ(svg_number(100.0), "100");
  EXPECT_EQ(svg_number(-0.001), "0");
  EXPECT_EQ(svg_number(1e300), "1000000");
  EXPECT_EQ(svg_number(-kInf), "-1000000");
  EXPECT_EQ(svg_number(kNan), "0");
}

TEST(SvgEscape, KeepsWhatXmlHolds) {
  EXPECT_EQ(svg_escape("a<b> & \"c\""), "a&lt;b&gt; &amp; &quot;c&quot;");
  EXPECT_EQ(svg_escape("\xC3\xA4 \xE2\x82\xAC \xF0\x9F\x98\x80"),
            "\xC3\xA4 \xE2\x82\xAC \xF0\x9F\x98\x80");
  EXPECT_EQ(svg_escape(std::string_view("a\0b\x1B", 4)), "a?b?");
  EXPECT_EQ(svg_escape("\xC3"), "?");                 // cut short
  EXPECT_EQ(svg_escape("\xC0\xAF"), "??");            // overlong
  EXPECT_EQ(svg_escape("\xE0\x80\x80"), "???");       // overlong
  EXPECT_EQ(svg_escape("\xED\xA0\x80"), "???");       // a surrogate
  EXPECT_EQ(svg_escape("\xEF\xBF\xBF"), "???");       // U+FFFF
  EXPECT_EQ(svg_escape("\xF4\x90\x80\x80"), "????");  // beyond Unicode
  EXPECT_EQ(svg_escape("\xFF\x61"), "?a");
}

RC_GTEST_PROP(Svg, AnyTextIsWellFormed, (const std::string& text)) {
  Svg svg("f", {10.0, 10.0}, text, text);
  svg.group({.title = text}, [&] { svg.text({1.0, 2.0}, text); });
  RC_ASSERT(xml_fault(svg.str()) == "");
  RC_ASSERT(text.empty() || occurrences(svg.str(), svg_escape(text) + "</title>") >= 2);
}

RC_GTEST_PROP(Svg, AnyNumbersAreWellFormed, ()) {
  const auto number = [] {
    return *rc::gen::oneOf(rc::gen::element(kNan, kInf, -kInf, 1e300, -0.0),
                           rc::gen::arbitrary<double>());
  };
  const auto point = [&] { return Point{number(), number()}; };
  Svg svg("f", point(), "t", "d");
  const Style style{.fill = kBlue, .stroke = kBlack, .width = number(), .opacity = number()};
  svg.rect(point(), point(), style);
  svg.circle(point(), number(), style);
  svg.line(point(), point(), style);
  svg.polygon(std::array{point(), point(), point()}, style);
  svg.path(std::array{point(), point(), point(), point()}, style);
  svg.text(point(), "x", {.size = number(), .turned = number()});
  svg.gradient(std::array<Stop, 1>{{{number(), "#FFFFFF"}}});
  svg.clip(point(), point(), [&] { svg.circle(point(), number(), style); });
  const std::string out = svg.str();
  RC_ASSERT(xml_fault(out) == "");
  RC_ASSERT(occurrences(out, "nan") + occurrences(out, "inf") + occurrences(out, "e+") == 0);
}

TEST(Svg, BeginsWithSizeTitleAndDescription) {
  const std::string out = figure().str();
  EXPECT_NE(out.find("viewBox=\"0 0 100 50\""), std::string::npos) << out;
  EXPECT_NE(out.find("<title>a title</title>\n<desc>what is drawn</desc>"), std::string::npos);
}

TEST(Svg, ShapesAndStyles) {
  Svg svg = figure();
  svg.rect({1, 2}, {3, 4}, {.fill = kBlue, .opacity = 0.25});
  svg.line({0, 0}, {5, 6}, {.stroke = kBlack, .width = 2.0, .dash = "4 3"});
  svg.text({7, 8}, "up", {.anchor = Anchor::kEnd, .bold = true, .turned = -90.0});
  const std::string out = svg.str();
  for (const char* shape :
       {"<rect x=\"1\" y=\"2\" width=\"3\" height=\"4\" fill=\"#0072B2\" fill-opacity=\"0.25\"/>",
        "<polyline points=\"0,0 5,6\" fill=\"none\" stroke=\"#000000\" stroke-width=\"2\" "
        "stroke-dasharray=\"4 3\"/>",
        "text-anchor=\"end\" font-weight=\"bold\" transform=\"rotate(-90 7 8)\">up</text>"}) {
    EXPECT_NE(out.find(shape), std::string::npos) << shape << " in " << out;
  }
}

TEST(Svg, ALineHasAGapWhereANumberIsMissing) {
  Svg svg = figure();
  svg.path(std::array<Point, 6>{{{0, 0}, {1, 1}, {2, kNan}, {3, 3}, {kInf, 4}, {5, 5}}}, kLine);
  EXPECT_EQ(occurrences(svg.str(), "<polyline"), 1) << "points 3 and 5 stand alone";
  EXPECT_EQ(occurrences(svg.str(), "points=\"0,0 1,1\""), 1);
  svg.path(std::array<Point, 5>{{{0, 0}, {1, 1}, {2, kNan}, {3, 3}, {4, 4}}}, kLine);
  EXPECT_EQ(occurrences(svg.str(), "<polyline"), 3);
  const std::string before = svg.str();
  svg.circle({kNan, 0}, 1.0, kLine);
  svg.circle({0, 0}, kInf, kLine);
  svg.circle({0, 0}, -1.0, kLine);
  svg.polygon(std::array<Point, 3>{{{0, 0}, {1, 1}, {2, kNan}}}, kLine);
  svg.path(std::array<Point, 0>{}, kLine);
  EXPECT_EQ(svg.str(), before);
}

TEST(Svg, GradientsHaveIdsOfTheirOwn) {
  Svg svg = figure();
  const std::array<Stop, 2> stops{{{0.0, "#FFFFFF"}, {1.0, "#000000"}}};
  EXPECT_EQ(svg.gradient(stops), "url(#f-1)");
  EXPECT_EQ(svg.gradient(stops), "url(#f-2)");
  EXPECT_EQ(occurrences(svg.str(), "id=\"f-1\""), 1);
}

}  // namespace
}  // namespace bpo::report
