#include "bpo/report/axes.h"

#include <fmt/format.h>

#include <algorithm>

#include "bpo/report/legend.h"

namespace bpo::report {
namespace {

constexpr Style kGrid{.stroke = kPale, .width = 1.0}, kAxis{.stroke = kGrey, .width = 1.0};
constexpr int kMostAcross = 6, kMostDown = 6;

}  // namespace

std::vector<Tick> Axis::marks() const {
  return log ? log_ticks(range.low, range.high, kMostAcross)
             : ticks(range.low, range.high, kMostAcross);
}

double Frame::left() const {
  double widest = 0.0;
  for (const Tick& tick : ticks(y.range.low, y.range.high, kMostDown)) {
    widest = std::max(widest, width_of(tick.label, kTickSize));
  }
  return 14.0 + 1.1 * widest;
}

AxisScale Frame::across() const {
  return {x.range.low, x.range.high, left(), left() + width(), x.log};
}

AxisScale Frame::down() const { return {y.range.low, y.range.high, kHead + tall(), kHead}; }

void Frame::draw(Svg& svg) const {
  const AxisScale h = across(), v = down();
  draw_title(svg, title);
  svg.text({4.0, 36.0}, fitted(y.label, kChartWidth - 8.0, kTickSize),
           {.size = kTickSize, .fill = kGrey});
  for (const Tick& tick : ticks(v.low, v.high, kMostDown)) {
    svg.line({h.from, v(tick.value)}, {h.to, v(tick.value)}, kGrid);
    svg.text({h.from - 7.0, v(tick.value) + 4.0}, tick.label,
             {.size = kTickSize, .anchor = Anchor::kEnd, .fill = kGrey});
  }
  for (const Tick& tick : x.marks()) {
    svg.line({h(tick.value), v.from}, {h(tick.value), v.from + 4.0}, kAxis);
    svg.text({h(tick.value), v.from + 17.0}, tick.label,
             {.size = kTickSize, .anchor = Anchor::kMiddle, .fill = kGrey});
  }
  svg.line({h.from, v.from}, {h.to, v.from}, kAxis);
  svg.text({(h.from + h.to) / 2, v.from + 35.0}, fitted(x.label, width(), kTickSize),
           {.size = kTickSize, .anchor = Anchor::kMiddle, .fill = kGrey});
}

Tag Frame::plot() const {
  Tag tag{"plot", {{"x", scale_text(across())}, {"y", scale_text(down())}}};
  if (x.log) tag.data.emplace_back("log", "1");
  return tag;
}

std::string scale_text(const AxisScale& s) {
  return fmt::format("{:.9g} {:.9g} {} {}", s.low, s.high, svg_number(s.from), svg_number(s.to));
}

void draw_title(Svg& svg, std::string_view title) {
  svg.text({4.0, 18.0}, fitted(title, kChartWidth - 8.0, 1.08 * kTitleSize),
           {.size = kTitleSize, .bold = true});
}

void draw_nothing(Svg& svg, Point middle) {
  svg.text(middle, "no data", {.size = kTitleSize, .anchor = Anchor::kMiddle, .fill = kGrey});
}

std::string shown(double value) { return fmt::format("{:.4g}", value); }

}  // namespace bpo::report
