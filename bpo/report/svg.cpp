#include "bpo/report/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

namespace bpo::report {
namespace {

constexpr double kFarthest = 1e6;

std::string attribute(std::string_view name, double x) {
  return fmt::format(" {}=\"{}\"", name, svg_number(x));
}

std::string box(Point corner, Point size) {
  return attribute("x", corner.x) + attribute("y", corner.y) + attribute("width", size.x) +
         attribute("height", size.y);
}

std::string list(std::span<const Point> points) {
  std::string out;
  for (const Point p : points) {
    out += fmt::format("{}{},{}", out.empty() ? "" : " ", svg_number(p.x), svg_number(p.y));
  }
  return fmt::format(" points=\"{}\"", out);
}

/// The length of the UTF-8 sequence at the front, or 0 if it is no valid character of XML.
std::size_t character(std::string_view s) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(s[i]) & 0xFF; };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return first >= 0x20 || first == '\t' || first == '\n' ? 1 : 0;
  const std::size_t n = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || s.size() < n) return 0;
  std::uint32_t code = first & (0x7F >> n);
  for (std::size_t i = 1; i < n; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3F);
  }
  const bool overlong = code < (n == 4 ? 0x10000u : n == 3 ? 0x800u : 0x80u);
  const bool surrogate = code >= 0xD800 && code < 0xE000;
  return overlong || surrogate || code == 0xFFFE || code == 0xFFFF || code > 0x10FFFF ? 0 : n;
}

}  // namespace

std::string svg_number(double x) {
  std::string out =
      fmt::format("{:.2f}", std::isnan(x) ? 0.0 : std::clamp(x, -kFarthest, kFarthest));
  out.erase(out.find_last_not_of('0') + 1);
  if (out.back() == '.') out.pop_back();
  return out == "-0" ? "0" : out;
}

std::string svg_escape(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t n = character(text);
    switch (n == 0 ? '?' : text[0]) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += n == 0 ? "?" : text.substr(0, n);
    }
    text.remove_prefix(std::max<std::size_t>(n, 1));
  }
  return out;
}

Svg::Svg(std::string name, Point size, std::string_view title, std::string_view description)
    : name_(std::move(name)) {
  const std::string w = svg_number(size.x), h = svg_number(size.y);
  out_ = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 {0} {1}\" width=\"{0}\""
      " height=\"{1}\" font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\">\n"
      "<title>{2}</title>\n<desc>{3}</desc>\n",
      w, h, svg_escape(title), svg_escape(description));
  rect({}, size, {.fill = kWhite});
}

void Svg::shape(std::string_view name, const std::string& attributes, const Style& style) {
  out_ += fmt::format("<{}{} fill=\"{}\"", name, attributes, style.fill);
  if (style.fill != "none" && style.opacity < 1.0) out_ += attribute("fill-opacity", style.opacity);
  if (style.stroke != "none") {
    out_ += fmt::format(" stroke=\"{}\"{}", style.stroke, attribute("stroke-width", style.width));
    if (!style.dash.empty()) out_ += fmt::format(" stroke-dasharray=\"{}\"", style.dash);
  }
  out_ += "/>\n";
}

void Svg::rect(Point corner, Point size, const Style& style) {
  if (finite(corner) && finite(size)) shape("rect", box(corner, size), style);
}

void Svg::circle(Point centre, double radius, const Style& style) {
  if (!finite(centre) || !std::isfinite(radius) || radius < 0.0) return;
  shape("circle", attribute("cx", centre.x) + attribute("cy", centre.y) + attribute("r", radius),
        style);
}

void Svg::line(Point from, Point to, const Style& style) { path(std::array{from, to}, style); }

void Svg::capsule(Point from, Point to, const Style& style) {
  if (!finite(from) || !finite(to)) return;
  const std::string round = " stroke-linecap=\"round\"";
  shape("line",
        attribute("x1", from.x) + attribute("y1", from.y) + attribute("x2", to.x) +
            attribute("y2", to.y) + round,
        style);
}

void Svg::path(std::span<const Point> points, const Style& style) {
  for (auto begin = points.begin(); begin != points.end();) {
    const auto end = std::find_if_not(begin, points.end(), finite);
    if (end - begin > 1) shape("polyline", list({begin, end}), style);
    begin = end == points.end() ? end : end + 1;
  }
}

void Svg::polygon(std::span<const Point> corners, const Style& style) {
  if (std::all_of(corners.begin(), corners.end(), finite)) shape("polygon", list(corners), style);
}

void Svg::text(Point at, std::string_view words, const TextStyle& style) {
  if (!finite(at)) return;
  constexpr std::array<const char*, 3> kAnchors{"start", "middle", "end"};
  out_ += fmt::format("<text{}{}{} fill=\"{}\" text-anchor=\"{}\"", attribute("x", at.x),
                      attribute("y", at.y), attribute("font-size", style.size), style.fill,
                      kAnchors[static_cast<int>(style.anchor)]);
  if (style.bold) out_ += " font-weight=\"bold\"";
  if (style.turned != 0.0) {
    out_ += fmt::format(" transform=\"rotate({} {} {})\"", svg_number(style.turned),
                        svg_number(at.x), svg_number(at.y));
  }
  out_ += fmt::format(">{}</text>\n", svg_escape(words));
}

std::string Svg::gradient(std::span<const Stop> stops) {
  const std::string id = fmt::format("{}-{}", name_, ++ids_);
  out_ += fmt::format("<linearGradient id=\"{}\">", id);
  for (const Stop& stop : stops) {
    out_ +=
        fmt::format("<stop{} stop-color=\"{}\"/>", attribute("offset", stop.offset), stop.colour);
  }
  out_ += "</linearGradient>\n";
  return fmt::format("url(#{})", id);
}

void Svg::group(const Tag& tag, const std::function<void()>& draw) {
  out_ += "<g";
  if (!tag.kind.empty()) out_ += fmt::format(" class=\"{}\"", svg_escape(tag.kind));
  for (const auto& [name, value] : tag.data) {
    out_ += fmt::format(" data-{}=\"{}\"", name, svg_escape(value));
  }
  out_ += ">";
  if (!tag.title.empty()) out_ += fmt::format("<title>{}</title>", svg_escape(tag.title));
  out_ += "\n";
  draw();
  out_ += "</g>\n";
}

void Svg::clip(Point corner, Point size, const std::function<void()>& draw) {
  if (!finite(corner) || !finite(size)) return;
  out_ += fmt::format("<svg{} viewBox=\"{} {} {} {}\">\n", box(corner, size), svg_number(corner.x),
                      svg_number(corner.y), svg_number(size.x), svg_number(size.y));
  draw();
  out_ += "</svg>\n";
}

}  // namespace bpo::report
