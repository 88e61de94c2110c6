#include "bpo/report/legend.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace bpo::report {
namespace {

constexpr double kKeyText = 12.0, kKeyRow = 20.0, kGlyph = 30.0, kGap = 8.0, kBetween = 16.0;
constexpr double kLetter = 0.53;  // a letter's usual width, as a share of its size

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

void draw_key(Svg& svg, const LegendKey& key, Point at) {
  const double y = at.y - 4.0;
  if (key.line) {
    svg.line({at.x, y}, {at.x + kGlyph, y},
             {.stroke = key.style.colour, .width = 2.0, .dash = key.style.dash});
  }
  if (key.shape) {
    draw_shape(svg, key.style.shape, {at.x + kGlyph / 2, y}, 4.0, {.fill = key.style.colour});
  }
  svg.text({at.x + kGlyph + kGap, at.y}, key.name, {.size = kKeyText});
}

}  // namespace

SeriesStyle series_style(std::size_t k) {
  constexpr std::array kColours{kBlue, kVermilion, kGreen, kPurple, kOrange, kBlack, kSkyBlue};
  constexpr std::array<std::string_view, 5> kDashes{"", "7 3", "2 3", "9 3 2 3", "4 2"};
  constexpr std::array kShapes{Shape::kCircle, Shape::kSquare, Shape::kTriangle, Shape::kDiamond,
                               Shape::kDrop};
  return {kColours[k % kColours.size()], kDashes[k % kDashes.size()], kShapes[k % kShapes.size()]};
}

void draw_shape(Svg& svg, Shape shape, Point at, double r, const Style& style) {
  switch (shape) {
    case Shape::kCircle:
      return svg.circle(at, r, style);
    case Shape::kSquare:
      return svg.rect({at.x - 0.9 * r, at.y - 0.9 * r}, {1.8 * r, 1.8 * r}, style);
    case Shape::kTriangle:
      return svg.polygon(
          std::array<Point, 3>{
              {{at.x, at.y - 1.15 * r}, {at.x - 1.1 * r, at.y + r}, {at.x + 1.1 * r, at.y + r}}},
          style);
    case Shape::kDiamond:
      return svg.polygon(std::array<Point, 4>{{{at.x, at.y - 1.3 * r},
                                               {at.x + 1.3 * r, at.y},
                                               {at.x, at.y + 1.3 * r},
                                               {at.x - 1.3 * r, at.y}}},
                         style);
    case Shape::kDrop:
      return svg.polygon(
          std::array<Point, 3>{
              {{at.x, at.y + 1.15 * r}, {at.x - 1.1 * r, at.y - r}, {at.x + 1.1 * r, at.y - r}}},
          style);
  }
}

double width_of(std::string_view words, double size) {
  const auto letters = std::count_if(words.begin(), words.end(), begins_character);
  return kLetter * size * static_cast<double>(letters);
}

double widest(const std::vector<std::string>& all, double size) {
  double out = 0.0;
  for (const std::string& words : all) out = std::max(out, width_of(words, size));
  return out;
}

std::string fitted(std::string_view words, double width, double size) {
  if (width_of(words, size) <= width) return std::string(words);
  const auto most =
      std::max<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(width / (kLetter * size)) - 3, 1);
  std::ptrdiff_t letters = 0;
  std::size_t end = 0;
  while (end < words.size()) {
    if (begins_character(words[end]) && ++letters > most) break;
    ++end;
  }
  return fmt::format("{}...", words.substr(0, end));
}

double draw_legend(Svg* svg, const std::vector<LegendKey>& keys, Point corner, double width) {
  if (keys.empty()) return 0.0;
  Point at{0.0, kKeyRow};
  for (const LegendKey& key : keys) {
    LegendKey shown = key;
    shown.name = fitted(key.name, width - kGlyph - kGap, kKeyText);
    const double wide = kGlyph + kGap + width_of(shown.name, kKeyText);
    if (at.x > 0.0 && at.x + wide > width) at = {0.0, at.y + kKeyRow};
    if (svg != nullptr) {
      const Point place{corner.x + at.x, corner.y + at.y};
      Tag tag{.title = key.name};
      if (key.series >= 0) tag = {"key", {{"series", fmt::to_string(key.series)}}, key.name};
      svg->group(tag, [&] { draw_key(*svg, shown, place); });
    }
    at.x += wide + kBetween;
  }
  return at.y;
}

}  // namespace bpo::report
