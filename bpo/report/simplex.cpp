#include "bpo/report/simplex.h"

#include <fmt/format.h>

#include <array>
#include <set>

#include "bpo/report/axes.h"
#include "bpo/report/legend.h"

namespace bpo::report {
namespace {

constexpr int kSteps = 360, kRows = 120;
constexpr double kMargin = 24.0, kStrip = 70.0, kWide = kChartWidth - 2.0 * kMargin;

/// A stretch of beliefs in one row, from `from` to `to` in pixels, with one action.
struct Run {
  int action = 0;
  double from = 0.0, to = 0.0, top = 0.0, bottom = 0.0;
  double wide() const { return to - from; }
};

/// The row's beliefs from left to right, `at(u)` for u in [0, 1], as runs.
template <class Belief>
void add_runs(const SimplexMap& map, Run row, int steps, Belief at, std::vector<Run>& out) {
  const double left = row.from, wide = row.wide();
  for (int i = 0; i < steps; ++i) {
    const int action = map.action(at((i + 0.5) / steps));
    const double from = left + wide * i / steps, to = left + wide * (i + 1) / steps;
    if (i > 0 && out.back().action == action) {
      out.back().to = to;
    } else {
      out.push_back({action, from, to, row.top, row.bottom});
    }
  }
}

std::vector<Run> strip(const SimplexMap& map, double top) {
  std::vector<Run> out;
  add_runs(
      map, {0, kMargin, kMargin + kWide, top, top + kStrip}, kSteps,
      [](double u) {
        return std::vector<double>{1.0 - u, u};
      },
      out);
  return out;
}

/// The highest of the triangle's rows is all but the last state.
std::vector<Run> triangle(const SimplexMap& map, double top, double tall) {
  std::vector<Run> out;
  for (int r = 0; r < kRows; ++r) {
    const double last = 1.0 - (r + 0.5) / kRows, half = 0.5 * kWide * (1.0 - last);
    const double middle = kMargin + 0.5 * kWide, y = top + tall * r / kRows;
    add_runs(
        map, {0, middle - half, middle + half, y, y + tall / kRows},
        std::max(1, static_cast<int>(kSteps * (1.0 - last))),
        [&](double u) {
          return std::vector<double>{(1.0 - last) * (1.0 - u), (1.0 - last) * u, last};
        },
        out);
  }
  return out;
}

/// The middle of the row that half of the action's area lies above.
Point middle_of(const std::vector<Run>& runs, int action) {
  double all = 0.0, so_far = 0.0;
  for (const Run& run : runs) all += run.action == action ? run.wide() : 0.0;
  for (const Run& run : runs) {
    if (run.action != action) continue;
    so_far += run.wide();
    if (so_far < 0.5 * all) continue;
    return {0.5 * (run.from + run.to), 0.5 * (run.top + run.bottom)};
  }
  return {};
}

void draw_runs(Svg& svg, const SimplexMap& map, const std::vector<Run>& runs,
               const std::set<int>& actions) {
  for (const int action : actions) {
    const SeriesStyle style = series_style(static_cast<std::size_t>(action));
    const Tag tag{"mark", {{"action", fmt::to_string(action)}}, map.actions[action]};
    svg.group(tag, [&] {
      for (const Run& run : runs) {
        if (run.action != action) continue;
        // Rows overlap a little, for no seam to be seen between them.
        svg.rect({run.from, run.top}, {run.wide(), run.bottom - run.top + 0.3},
                 {.fill = style.colour});
      }
    });
  }
  for (const int action : actions) {
    draw_shape(svg, series_style(static_cast<std::size_t>(action)).shape, middle_of(runs, action),
               4.0, {.fill = kWhite, .stroke = kBlack});
  }
}

std::vector<LegendKey> keys_of(const SimplexMap& map, const std::set<int>& actions) {
  std::vector<LegendKey> keys;
  for (const int action : actions) {
    keys.push_back({map.actions[action], series_style(static_cast<std::size_t>(action))});
  }
  return keys;
}

}  // namespace

std::string draw(const SimplexMap& map) {
  const bool three = map.states.size() == 3;
  const double tall = three ? kWide * 0.866 : kStrip;
  const double top = three ? kHead + 4.0 : kHead - 16.0, floor = top + tall;
  const std::vector<Run> runs = three ? triangle(map, top, tall) : strip(map, top);
  std::set<int> actions;
  for (const Run& run : runs) actions.insert(run.action);
  const std::vector<LegendKey> keys = keys_of(map, actions);
  const double legend = draw_legend(nullptr, keys, {}, kChartWidth - 8.0);
  Svg svg("simplex", {kChartWidth, floor + 30.0 + legend + 8.0}, map.title,
          fmt::format("The action at every belief over {} states", map.states.size()));
  draw_title(svg, map.title);
  svg.group({"plot"}, [&] { draw_runs(svg, map, runs, actions); });
  const TextStyle name{.size = kTickSize, .fill = kGrey};
  const auto corner = [&](double x, double y, int state, Anchor anchor) {
    TextStyle style = name;
    style.anchor = anchor;
    svg.text({x, y}, "surely " + fitted(map.states[state], 130.0, kTickSize), style);
  };
  corner(4.0, floor + 17.0, 0, Anchor::kStart);
  corner(kChartWidth - 4.0, floor + 17.0, 1, Anchor::kEnd);
  if (three) {
    corner(kChartWidth / 2, top - 6.0, 2, Anchor::kMiddle);
    const std::array<Point, 4> edge{
        Point{kMargin, floor}, {kMargin + kWide, floor}, {kChartWidth / 2, top}, {kMargin, floor}};
    svg.path(edge, {.stroke = kGrey});
  } else {
    svg.rect({kMargin, top}, {kWide, tall}, {.stroke = kGrey});
  }
  draw_legend(&svg, keys, {4.0, floor + 30.0}, kChartWidth - 8.0);
  return svg.str();
}

}  // namespace bpo::report
