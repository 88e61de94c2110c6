#include "bpo/report/scatter_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bpo/report/axes.h"
#include "bpo/report/legend.h"

namespace bpo::report {

std::string draw(const ScatterChart& chart) {
  Extent range;
  std::vector<LegendKey> keys;
  for (std::size_t k = 0; k < chart.clouds.size(); ++k) {
    const Cloud& cloud = chart.clouds[k];
    for (std::size_t i = 0; i < std::min(cloud.x.size(), cloud.y.size()); ++i) {
      if (!std::isfinite(cloud.x[i]) || !std::isfinite(cloud.y[i])) continue;
      range.add(cloud.x[i]);
      range.add(cloud.y[i]);
    }
    keys.push_back(
        {cloud.name, series_style(chart.first_style + k), static_cast<int>(k), false, true});
  }
  const bool any = !range.empty();
  range = range.padded(0.04);
  keys.push_back({"y = x", {kGrey, "5 4"}, -1, true, false});
  const Frame frame{chart.title, {chart.x_label, range}, {chart.y_label, range}, 0.0};
  const double legend = draw_legend(nullptr, keys, {}, kChartWidth - 8.0);
  Svg svg("scatter", {kChartWidth, frame.bottom() + legend + 8.0}, chart.title,
          fmt::format("{} against {}, with the line y = x", chart.y_label, chart.x_label));
  frame.draw(svg);
  const AxisScale x = frame.across(), y = frame.down();
  svg.line({x(range.low), y(range.low)}, {x(range.high), y(range.high)},
           {.stroke = kGrey, .width = 1.4, .dash = "5 4"});
  svg.group(frame.plot(), [&] {
    for (std::size_t k = 0; k < chart.clouds.size(); ++k) {
      const Cloud& cloud = chart.clouds[k];
      const SeriesStyle style = series_style(chart.first_style + k);
      svg.group({"series", {{"series", fmt::to_string(k)}, {"name", cloud.name}}}, [&] {
        for (std::size_t i = 0; i < std::min(cloud.x.size(), cloud.y.size()); ++i) {
          draw_shape(svg, style.shape, {x(cloud.x[i]), y(cloud.y[i])}, 3.2,
                     {.fill = style.colour, .opacity = 0.55});
        }
      });
    }
  });
  if (!any) draw_nothing(svg, {(x.from + x.to) / 2, (y.from + y.to) / 2});
  draw_legend(&svg, keys, {4.0, frame.bottom() - 2.0}, kChartWidth - 8.0);
  return svg.str();
}

}  // namespace bpo::report
