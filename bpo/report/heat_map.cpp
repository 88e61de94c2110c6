#include "bpo/report/heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bpo/report/axes.h"
#include "bpo/report/legend.h"

namespace bpo::report {
namespace {

constexpr double kRowHeight = 52.0, kLeastTall = 104.0, kMostTall = 260.0;
constexpr double kLetters = 40.0;  // from this width on, a cell says its value
constexpr Style kTruth{.stroke = kVermilion, .width = 2.5};

std::size_t columns_of(const HeatMap& map) {
  std::size_t most = 0;
  for (const auto& row : map.rows) most = std::max(most, row.size());
  return most;
}

double full_of(const HeatMap& map) {
  if (map.full) return *map.full;
  Extent range;
  range.add(0.0);
  for (const auto& row : map.rows) range.add(row);
  return range.high > 0.0 ? range.high : 1.0;
}

std::string name_of(const std::vector<std::string>& names, std::size_t i) {
  return i < names.size() ? names[i] : "";
}

/// The corner at which cell (row, column) begins.
struct Layout {
  Point corner, cell;
  std::size_t rows = 0;
  Point operator()(std::size_t row, std::size_t column) const {
    return {corner.x + static_cast<double>(column) * cell.x,
            corner.y + static_cast<double>(rows - 1 - row) * cell.y};
  }
};

Layout layout(const HeatMap& map, Point corner, Point size) {
  const std::size_t rows = map.rows.size(), columns = columns_of(map);
  return {corner,
          {size.x / static_cast<double>(std::max<std::size_t>(columns, 1)),
           size.y / static_cast<double>(std::max<std::size_t>(rows, 1))},
          rows};
}

void draw_cell(Svg& svg, const HeatMap& map, const Layout& at, Cell cell, double full) {
  const auto [row, column] = cell;
  const double value = map.rows[row][column];
  if (!std::isfinite(value)) return;
  const double strength = shade(value, full);
  const Point place = at(row, column);
  const std::string words =
      fmt::format("{} {}, {} {}: {}", map.x_label, name_of(map.column_names, column), map.y_label,
                  name_of(map.row_names, row), shown(value));
  const auto rect = [&] {
    const std::string_view border = map.over_time ? "none" : kPale;
    svg.rect(place, at.cell, {.fill = kBlue, .stroke = border, .width = 0.7, .opacity = strength});
    if (at.cell.x < kLetters || map.over_time) return;
    svg.text({place.x + at.cell.x / 2, place.y + at.cell.y / 2 + 4.0}, fmt::format("{:.2f}", value),
             {.size = 11.0, .anchor = Anchor::kMiddle, .fill = strength > 0.5 ? kWhite : kBlack});
  };
  if (map.over_time) return rect();  // there are too many to say each one's words
  svg.group({"mark", {{"cell", fmt::format("{} {}", row, column)}}, words}, rect);
}

/// The step, a round number, at which names can be written without touching: each needs so many
/// pixels.
std::size_t stride(double needed, double cell) {
  for (std::size_t ten = 1;; ten *= 10) {
    for (const std::size_t digit : {1, 2, 5}) {
      if (static_cast<double>(digit * ten) * cell >= needed) return digit * ten;
    }
  }
}

}  // namespace

double shade(double value, double full) {
  return std::isfinite(value) && full > 0.0 ? std::clamp(value / full, 0.0, 1.0) : 0.0;
}

void draw_cells(Svg& svg, const HeatMap& map, Point corner, Point size) {
  const Layout at = layout(map, corner, size);
  const double full = full_of(map);
  for (std::size_t c = 0; c < columns_of(map); ++c) {
    const auto column = [&] {
      for (std::size_t r = 0; r < map.rows.size(); ++r) {
        if (c < map.rows[r].size()) draw_cell(svg, map, at, {r, c}, full);
      }
    };
    if (map.over_time) {
      svg.group({"column", {{"t", fmt::to_string(c)}}}, column);
    } else {
      column();
    }
  }
  svg.rect(corner, size, {.stroke = kGrey});
  for (const auto& [row, column] : map.marked) {
    if (map.over_time) {
      const Point place = at(row, column);
      const double y = place.y + at.cell.y / 2;
      svg.line({place.x, y}, {place.x + at.cell.x, y}, kTruth);
    } else {
      svg.rect(at(row, column), at.cell, kTruth);
    }
  }
}

std::string draw(const HeatMap& map) {
  const bool any = columns_of(map) > 0;
  const double left = 14.0 + std::min(1.1 * widest(map.row_names, kTickSize), 0.3 * kChartWidth);
  const double tall =
      std::clamp(kRowHeight * static_cast<double>(map.rows.size()), kLeastTall, kMostTall);
  const Point corner{left, kHead}, size{kChartWidth - left - kRightMargin, tall};
  const double floor = corner.y + size.y;
  Svg svg("heat", {kChartWidth, floor + kFoot + 30.0}, map.title,
          fmt::format("{} against {} in shades of blue", map.y_label, map.x_label));
  draw_title(svg, map.title);
  svg.text({4.0, 36.0}, fitted(map.y_label, kChartWidth - 8.0, kTickSize),
           {.size = kTickSize, .fill = kGrey});
  const Layout at = layout(map, corner, size);
  const std::size_t up = stride(16.0, at.cell.y);
  const std::size_t along =
      stride(std::min(widest(map.column_names, kTickSize), 120.0) + 8.0, at.cell.x);
  for (std::size_t r = 0; r < map.rows.size(); r += up) {
    svg.text({left - 7.0, at(r, 0).y + at.cell.y / 2 + 4.0},
             fitted(name_of(map.row_names, r), left - 8.0, kTickSize),
             {.size = kTickSize, .anchor = Anchor::kEnd, .fill = kGrey});
  }
  for (std::size_t c = 0; c < columns_of(map); c += along) {
    svg.text({at(0, c).x + at.cell.x / 2, floor + 17.0},
             fitted(name_of(map.column_names, c), 120.0, kTickSize),
             {.size = kTickSize, .anchor = Anchor::kMiddle, .fill = kGrey});
  }
  svg.text({left + size.x / 2, floor + 35.0}, fitted(map.x_label, size.x, kTickSize),
           {.size = kTickSize, .anchor = Anchor::kMiddle, .fill = kGrey});
  svg.group({"plot"}, [&] { draw_cells(svg, map, corner, size); });
  if (!any) draw_nothing(svg, {left + size.x / 2, kHead + size.y / 2});
  const double key = floor + kFoot + 16.0, full = full_of(map);
  svg.text({left, key}, "0", {.size = kTickSize});
  for (int i = 0; i < 5; ++i) {
    svg.rect({left + 14.0 + 18.0 * i, key - 11.0}, {18.0, 13.0},
             {.fill = kBlue, .stroke = kPale, .opacity = 0.25 * i});
  }
  svg.text({left + 110.0, key}, shown(full), {.size = kTickSize});
  if (!map.marked.empty()) {
    if (map.over_time) {
      svg.line({left + 168.0, key - 4.0}, {left + 188.0, key - 4.0}, kTruth);
    } else {
      svg.rect({left + 170.0, key - 11.0}, {16.0, 13.0}, kTruth);
    }
    svg.text({left + 194.0, key}, map.mark, {.size = kTickSize});
  }
  return svg.str();
}

}  // namespace bpo::report
