// A small SVG writer for figures. The same calls give the same bytes: numbers have at most two
// decimals, text is escaped and always valid XML. Where a coordinate is not finite nothing is
// drawn, and a line has a gap. Pixels, y downwards; the viewBox lets a page scale the figure.
#pragma once

#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bpo::report {

struct Point {
  double x = 0.0, y = 0.0;
};
inline bool finite(Point p) { return std::isfinite(p.x) && std::isfinite(p.y); }

/// Colours that the colour-blind tell apart (Okabe and Ito 2008). A figure says the same a second
/// time by dashes or shapes.
inline constexpr std::string_view kBlack = "#000000", kOrange = "#E69F00", kSkyBlue = "#56B4E9",
                                  kGreen = "#009E73", kBlue = "#0072B2", kVermilion = "#D55E00",
                                  kPurple = "#CC79A7", kGrey = "#4D4D4D", kWhite = "#FFFFFF",
                                  kPale = "#E3E3E3";

struct Style {
  std::string_view fill = "none", stroke = "none";
  double width = 1.0;
  std::string_view dash = "";  // "4 3": four pixels drawn, three not
  double opacity = 1.0;        // the opacity of the fill
};

enum class Anchor { kStart, kMiddle, kEnd };

struct TextStyle {
  double size = 12.0;
  Anchor anchor = Anchor::kStart;
  bool bold = false;
  std::string_view fill = kBlack;
  double turned = 0.0;  // degrees, clockwise
};

struct Stop {
  double offset = 0.0;  // in [0, 1]
  std::string colour;
};

/// What a group is: a class for style sheets, data-* attributes for scripts, and what is said of it
/// when it is pointed at.
struct Tag {
  std::string_view kind = "";
  std::vector<std::pair<std::string_view, std::string>> data = {};
  std::string title = "";
};

class Svg {
 public:
  /// `name` begins every id, so that several figures can stand in one page. Title and description
  /// are what a screen reader says.
  Svg(std::string name, Point size, std::string_view title, std::string_view description);

  void rect(Point corner, Point size, const Style& style);
  void circle(Point centre, double radius, const Style& style);
  void line(Point from, Point to, const Style& style);
  /// A line with round ends, as wide as the style says; a dot where both ends are one.
  void capsule(Point from, Point to, const Style& style);
  void path(std::span<const Point> points, const Style& style);
  void polygon(std::span<const Point> corners, const Style& style);
  void text(Point at, std::string_view words, const TextStyle& style = {});
  /// Defines a fill whose colours run from left to right, and returns it as a colour for styles.
  std::string gradient(std::span<const Stop> stops);

  /// Puts what `draw` draws into one group.
  void group(const Tag& tag, const std::function<void()>& draw);
  /// Cuts what `draw` draws off outside of a rectangle.
  void clip(Point corner, Point size, const std::function<void()>& draw);

  std::string str() const { return out_ + "</svg>\n"; }

 private:
  void shape(std::string_view name, const std::string& attributes, const Style& style);

  std::string name_, out_;
  int ids_ = 0;
};

/// A number as text: at most two decimals, no exponent, no "-0". Beyond +-1e6 it is cut, and NaN is
/// 0.
std::string svg_number(double x);
/// Escapes text for contents and attributes. What XML cannot hold becomes '?'.
std::string svg_escape(std::string_view text);

}  // namespace bpo::report
