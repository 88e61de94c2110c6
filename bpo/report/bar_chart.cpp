#include "bpo/report/bar_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bpo/report/axes.h"
#include "bpo/report/legend.h"

namespace bpo::report {
namespace {

constexpr double kRow = 24.0, kBar = 15.0, kHeading = 22.0, kTop = 30.0, kNumber = 62.0;
constexpr Style kWhisker{.stroke = kBlack, .width = 1.4};
constexpr Style kReference{.fill = kWhite, .stroke = kBlack, .width = 1.5};

bool drawn(const std::optional<Bar>& bar) { return bar && std::isfinite(bar->value); }

double height_of(const BarGroup& group) {
  return (group.name.empty() ? 0.0 : kHeading) +
         kRow * static_cast<double>(std::count_if(group.bars.begin(), group.bars.end(), drawn));
}

Extent range_of(const BarChart& chart) {
  Extent range;
  range.add(0.0);
  for (const BarGroup& group : chart.groups) {
    for (const auto& bar : group.bars) {
      if (!drawn(bar)) continue;
      range.add(bar->value - bar->half);
      range.add(bar->value + bar->half);
      if (bar->reference) range.add(*bar->reference);
    }
  }
  return range.padded(0.0);
}

std::string words(const std::string& name, const Bar& bar, const std::string& reference) {
  std::string out = fmt::format("{}: {}", name, shown(bar.value));
  if (bar.half > 0.0) out += fmt::format(" {} {}", kPlusMinus, shown(bar.half));
  if (bar.reference) out += fmt::format("; {}: {}", reference, shown(*bar.reference));
  return out;
}

void draw_bar(Svg& svg, const Bar& bar, const AxisScale& x, double y, std::string_view colour) {
  const double zero = x(0.0), end = x(bar.value), middle = y + kBar / 2;
  svg.rect({std::min(zero, end), y}, {std::abs(end - zero), kBar}, {.fill = colour});
  if (bar.half > 0.0 && std::isfinite(bar.half)) {
    const double low = x(bar.value - bar.half), high = x(bar.value + bar.half);
    svg.line({low, middle}, {high, middle}, kWhisker);
    for (const double at : {low, high}) svg.line({at, middle - 4}, {at, middle + 4}, kWhisker);
  }
  if (bar.reference) {
    draw_shape(svg, Shape::kDiamond, {x(*bar.reference), middle}, 4.5, kReference);
  }
  svg.text({kChartWidth - 4.0, middle + 4.0}, shown(bar.value),
           {.size = kTickSize, .anchor = Anchor::kEnd});
}

}  // namespace

std::string draw(const BarChart& chart) {
  double tall = 0.0;
  for (const BarGroup& group : chart.groups) tall += height_of(group);
  const double left = 14.0 + std::min(1.1 * widest(chart.series, kTickSize), 0.36 * kChartWidth);
  const Extent range = range_of(chart);
  const AxisScale x{range.low, range.high, left, kChartWidth - kNumber};
  const double floor = kTop + std::max(tall, kRow) + 4.0;
  const double legend = chart.reference.empty() ? 0.0 : 22.0;
  Svg svg("bar", {kChartWidth, floor + kFoot + legend}, chart.title,
          fmt::format("{} as bars", chart.x_label));
  draw_title(svg, chart.title);
  for (const Tick& tick : ticks(x.low, x.high, 5)) {
    svg.line({x(tick.value), kTop}, {x(tick.value), floor}, {.stroke = kPale});
    svg.text({x(tick.value), floor + 16.0}, tick.label,
             {.size = kTickSize, .anchor = Anchor::kMiddle, .fill = kGrey});
  }
  svg.text({(x.from + x.to) / 2, floor + 35.0}, fitted(chart.x_label, kChartWidth, kTickSize),
           {.size = kTickSize, .anchor = Anchor::kMiddle, .fill = kGrey});
  svg.group({"plot", {{"x", scale_text(x)}}}, [&] {
    double y = kTop + 4.0;
    for (const BarGroup& group : chart.groups) {
      if (!group.name.empty()) {
        svg.text({4.0, y + 14.0}, fitted(group.name, kChartWidth - 8.0, kTickSize),
                 {.size = kTickSize, .bold = true});
        y += kHeading;
      }
      for (std::size_t k = 0; k < group.bars.size(); ++k) {
        if (!drawn(group.bars[k])) continue;
        const std::string& name = k < chart.series.size() ? chart.series[k] : group.name;
        svg.text({left - 8.0, y + kBar - 3.0}, fitted(name, left - 10.0, kTickSize),
                 {.size = kTickSize, .anchor = Anchor::kEnd});
        svg.group({"mark", {}, words(name, *group.bars[k], chart.reference)},
                  [&] { draw_bar(svg, *group.bars[k], x, y, series_style(k).colour); });
        y += kRow;
      }
    }
    svg.line({x(0.0), kTop}, {x(0.0), floor}, {.stroke = kGrey});
  });
  if (tall == 0.0) draw_nothing(svg, {kChartWidth / 2, kTop + kRow / 2 + 5.0});
  if (legend > 0.0) {
    draw_shape(svg, Shape::kDiamond, {left + 6.0, floor + kFoot + 8.0}, 4.5, kReference);
    svg.text({left + 20.0, floor + kFoot + 12.0}, chart.reference, {.size = kTickSize});
  }
  return svg.str();
}

}  // namespace bpo::report
