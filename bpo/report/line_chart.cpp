#include "bpo/report/line_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "bpo/report/axes.h"
#include "bpo/report/legend.h"

namespace bpo::report {
namespace {

constexpr Style kLevel{.stroke = kGrey, .width = 1.4, .dash = "1 3"};
constexpr std::size_t kShapes = 6;  // on a line, so that it is known without its colour
constexpr double kDwarfed = 4.0;    // by this factor the beginning may widen the range
constexpr double kBeyond = std::numeric_limits<double>::quiet_NaN();

double value(const std::vector<double>& all, std::size_t i) {
  return i < all.size() ? all[i] : kBeyond;
}

/// The point (x, y) in pixels; not finite where it is not to be drawn.
struct Plot {
  AxisScale x, y;
  Point operator()(double a, double b) const {
    return {x.log && !(a > 0.0) ? kBeyond : x(a), y(b)};
  }
};

std::vector<Point> path_of(const Line& line, const std::vector<double>& y, const Plot& plot) {
  std::vector<Point> out;
  for (std::size_t i = 0; i < line.x.size(); ++i) out.push_back(plot(line.x[i], value(y, i)));
  return out;
}

/// Draws one area for each stretch in which both bounds are known.
void draw_band(Svg& svg, const Line& line, const Plot& plot, std::string_view colour) {
  const std::vector<Point> low = path_of(line, line.low, plot);
  const std::vector<Point> high = path_of(line, line.high, plot);
  for (std::size_t i = 0; i < low.size();) {
    std::vector<Point> area;
    std::size_t end = i;
    while (end < low.size() && finite(low[end]) && finite(high[end])) area.push_back(high[end++]);
    for (std::size_t k = end; k > i; --k) area.push_back(low[k - 1]);
    if (area.size() > 2) svg.polygon(area, {.fill = colour, .opacity = 0.18});
    i = end + 1;
  }
}

void draw_line(Svg& svg, const Line& line, std::size_t k, const Plot& plot) {
  constexpr double kOver = 5.0;  // a shape on the border is not cut
  const Point corner{plot.x.from - kOver, plot.y.to - kOver};
  const Point size{plot.x.to - plot.x.from + 2 * kOver, plot.y.from - plot.y.to + 2 * kOver};
  const SeriesStyle style = series_style(k);
  const auto draw_all = [&] {
    draw_band(svg, line, plot, style.colour);
    const std::vector<Point> points = path_of(line, line.y, plot);
    svg.path(points, {.stroke = style.colour, .width = 2.0, .dash = style.dash});
    // Lines that run together show their shapes at different places.
    const std::size_t step = std::max<std::size_t>(1, points.size() / kShapes);
    for (std::size_t i = step > 1 ? k * step / 5 % step : 0; i < points.size(); i += step) {
      draw_shape(svg, style.shape, points[i], 3.4, {.fill = style.colour});
    }
  };
  svg.group({"series", {{"series", fmt::to_string(k)}, {"name", line.name}}},
            [&] { svg.clip(corner, size, draw_all); });
}

/// The range of y with room for the bands. They may be cut off, lest one uncertain point flatten
/// all the lines.
Extent with_bands(const Extent& y, const std::vector<Line>& lines) {
  const double most = 0.5 * (y.high - y.low);
  Extent out = y;
  for (const Line& line : lines) {
    for (const auto* bound : {&line.low, &line.high}) {
      for (const double v : *bound) {
        if (std::isfinite(v) && most > 0.0) out.add(std::clamp(v, y.low - most, y.high + most));
        if (most == 0.0) out.add(v);
      }
    }
  }
  return out;
}

Frame frame_of(const LineChart& chart) {
  Extent x, y, later;
  const auto each_point = [&](const auto& use) {
    for (const Line& line : chart.lines) {
      for (std::size_t i = 0; i < line.x.size(); ++i) {
        if (chart.log_x && !(line.x[i] > 0.0)) continue;
        if (std::isfinite(value(line.y, i))) use(line.x[i], line.y[i]);
      }
    }
  };
  each_point([&](double at, double) { x.add(at); });
  const double late = x.low + chart.early * (x.high - x.low);
  each_point([&](double at, double v) {
    y.add(v);
    if (at >= late) later.add(v);
  });
  if (!later.empty() && y.high - y.low > kDwarfed * (later.high - later.low)) y = later;
  x.add(chart.x_range.low);
  x.add(chart.x_range.high);
  for (const Level& level : chart.levels) y.add(level.y);
  if (!y.empty()) y = with_bands(y, chart.lines);
  const bool log = chart.log_x && !x.empty() && x.high > x.low;
  return {
      chart.title, {chart.x_label, log ? x : x.padded(0.0), log}, {chart.y_label, y.padded(0.05)}};
}

std::vector<LegendKey> keys_of(const LineChart& chart) {
  std::vector<LegendKey> keys;
  for (std::size_t k = 0; k < chart.lines.size(); ++k) {
    keys.push_back({chart.lines[k].name, series_style(k), static_cast<int>(k)});
  }
  for (const Level& level : chart.levels) {
    if (!std::isfinite(level.y)) continue;
    keys.push_back(
        {fmt::format("{} {}", level.name, shown(level.y)), {kGrey, kLevel.dash}, -1, true, false});
  }
  return keys;
}

}  // namespace

std::string draw(const LineChart& chart) {
  const Frame frame = frame_of(chart);
  const std::vector<LegendKey> keys = keys_of(chart);
  const double legend = draw_legend(nullptr, keys, {}, kChartWidth - 8.0);
  Svg svg("line", {kChartWidth, frame.bottom() + legend + 8.0}, chart.title,
          fmt::format("{} against {}, {} lines", chart.y_label, chart.x_label, chart.lines.size()));
  frame.draw(svg);
  const Plot plot{frame.across(), frame.down()};
  svg.group(frame.plot(), [&] {
    for (const Level& level : chart.levels) {
      svg.line({plot.x.from, plot.y(level.y)}, {plot.x.to, plot.y(level.y)}, kLevel);
    }
    for (std::size_t k = 0; k < chart.lines.size(); ++k) draw_line(svg, chart.lines[k], k, plot);
  });
  const bool any = std::any_of(chart.lines.begin(), chart.lines.end(), [](const Line& line) {
    return std::any_of(line.y.begin(), line.y.end(), [](double y) { return std::isfinite(y); });
  });
  if (!any) draw_nothing(svg, {(plot.x.from + plot.x.to) / 2, (plot.y.from + plot.y.to) / 2});
  draw_legend(&svg, keys, {4.0, frame.bottom() - 2.0}, kChartWidth - 8.0);
  return svg.str();
}

}  // namespace bpo::report
