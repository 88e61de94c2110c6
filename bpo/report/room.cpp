#include "bpo/report/room.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

#include "bpo/report/scale.h"

namespace bpo::report {
namespace {

constexpr double kWidth = 320.0;  // a room's, in pixels
constexpr double kLeft = 34.0, kRight = 14.0, kAbove = 44.0, kBelow = 30.0, kCaption = 26.0;
constexpr double kPanelText = 12.0, kLegendRow = 20.0,
                 kPanelLetter = 6.1;  // a letter's usual width
constexpr int kMostColumns = 4, kMostTicks = 6;

constexpr Style kTrue{.stroke = kVermilion, .width = 2.0};
constexpr Style kTrueDot{.fill = kVermilion, .stroke = kWhite, .width = 0.8};
constexpr Style kMean{.stroke = kBlue, .width = 1.4, .dash = "5 3"};
constexpr Style kMeanDot{.fill = kWhite, .stroke = kBlue, .width = 1.2};
constexpr Style kSpread{.fill = kSkyBlue, .stroke = kBlue, .width = 0.7, .opacity = 0.05};
constexpr Style kStart{.fill = kWhite, .stroke = kBlack, .width = 1.6};
constexpr Style kEnd{.fill = kVermilion, .stroke = kBlack, .width = 1.0};
constexpr Style kGoal{.stroke = kBlack, .width = 1.4};
constexpr Style kLight{.stroke = kOrange, .width = 2.0, .dash = "8 4 2 4"};
constexpr Style kWall{.stroke = kBlack, .width = 1.5};
constexpr double kDot = 3.2, kSquare = 4.6;

void square(Svg& svg, Point p, const Style& style) {
  svg.rect({p.x - kSquare / 2, p.y - kSquare / 2}, {kSquare, kSquare}, style);
}

void triangle(Svg& svg, Point p, const Style& style) {
  constexpr double r = 6.5;
  svg.polygon(std::array<Point, 3>{{{p.x, p.y - r}, {p.x - r, p.y + r}, {p.x + r, p.y + r}}},
              style);
}

void diamond(Svg& svg, Point p, const Style& style) {
  constexpr double r = 5.5;
  svg.polygon(
      std::array<Point, 4>{{{p.x, p.y - r}, {p.x + r, p.y}, {p.x, p.y + r}, {p.x - r, p.y}}},
      style);
}

/// Draws a target: a circle as large as the reach, with cross-hairs that find it where it is small.
void target(Svg& svg, Point p, double reach, const Style& style) {
  const double out = std::max(reach, 3.0) + 6.0;
  svg.circle(p, reach, style);
  for (const Point way : {Point{1, 0}, Point{-1, 0}, Point{0, 1}, Point{0, -1}}) {
    svg.line({p.x + reach * way.x, p.y + reach * way.y}, {p.x + out * way.x, p.y + out * way.y},
             style);
  }
}

/// The colour of the floor at x: white in the light, and the darker the farther from it.
std::string grey(const Room& room, double x) {
  const double farthest =
      std::max(std::abs(room.left - room.light), std::abs(room.right - room.light));
  const double dark = farthest > 0.0 ? std::abs(x - room.light) / farthest : 0.0;
  const int level = static_cast<int>(std::lround(255.0 - 95.0 * dark));
  return fmt::format("#{0:02X}{0:02X}{0:02X}", level);
}

std::string darkness(Svg& svg, const Room& room) {
  std::vector<Stop> stops{{0.0, grey(room, room.left)}, {1.0, grey(room, room.right)}};
  if (room.light > room.left && room.light < room.right) {
    const double at = (room.light - room.left) / (room.right - room.left);
    stops.insert(stops.begin() + 1, {at, grey(room, room.light)});
  }
  return svg.gradient(stops);
}

double height_of(const Room& room) {
  return kWidth * (room.top - room.bottom) / (room.right - room.left);
}

Tag step(std::size_t t) { return {"step", {{"t", fmt::to_string(t)}}}; }

void draw_panel(Svg& svg, const RoomPanel& panel, Point corner) {
  const Room& room = panel.room;
  const Point size{kWidth, height_of(room)};
  const AxisScale x{room.left, room.right, corner.x, corner.x + size.x};
  const AxisScale y{room.bottom, room.top, corner.y + size.y, corner.y};
  const double unit = kWidth / (room.right - room.left);
  const auto at = [&](Point p) { return Point{x(p.x), y(p.y)}; };
  const auto all = [&](const std::vector<Point>& points) {
    std::vector<Point> out;
    for (const Point p : points) out.push_back(at(p));
    return out;
  };
  const std::vector<Point> positions = all(panel.positions), means = all(panel.means);

  svg.text({corner.x, corner.y - 24.0}, panel.title, {.size = kPanelText + 1.0, .bold = true});
  const std::size_t steps = positions.empty() ? 0 : positions.size() - 1;
  svg.text({corner.x, corner.y - 8.0},
           fmt::format("return {:.1f} in {} step{}", panel.total, steps, steps == 1 ? "" : "s"),
           {.size = kPanelText});
  svg.clip(corner, size, [&] {
    svg.rect(corner, size, {.fill = darkness(svg, room)});
    svg.line({x(room.light), y(room.bottom)}, {x(room.light), y(room.top)}, kLight);
    for (std::size_t i = 0; i < std::min(means.size(), panel.variances.size()); ++i) {
      svg.group(step(i),
                [&] { svg.circle(means[i], unit * std::sqrt(panel.variances[i]), kSpread); });
    }
  });
  svg.rect(corner, size, kWall);
  // Not cut off at the walls, for a path may lead along one.
  svg.path(means, kMean);
  svg.path(positions, kTrue);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    svg.group(step(i), [&] {
      if (i < means.size()) square(svg, means[i], kMeanDot);
      svg.circle(positions[i], kDot, kTrueDot);
    });
  }
  if (!positions.empty()) {
    triangle(svg, positions.front(), kStart);
    diamond(svg, positions.back(), kEnd);
  }
  target(svg, at(panel.goal), unit * room.reach, kGoal);
  const double floor = corner.y + size.y;
  for (const Tick& tick : ticks(room.left, room.right, kMostTicks)) {
    svg.line({x(tick.value), floor}, {x(tick.value), floor + 4.0}, {.stroke = kBlack});
    svg.text({x(tick.value), floor + 16.0}, tick.label, {.size = 11.0, .anchor = Anchor::kMiddle});
  }
  for (const Tick& tick : ticks(room.bottom, room.top, kMostTicks)) {
    svg.line({corner.x - 4.0, y(tick.value)}, {corner.x, y(tick.value)}, {.stroke = kBlack});
    svg.text({corner.x - 7.0, y(tick.value) + 4.0}, tick.label,
             {.size = 11.0, .anchor = Anchor::kEnd});
  }
}

struct Key {
  std::string words;
  std::function<void(Svg&, Point)> draw;  // at the middle of 30 pixels
};

std::vector<Key> keys(double reach) {
  const auto stroke = [](Svg& svg, Point p, const Style& style) {
    svg.line({p.x - 15.0, p.y}, {p.x + 15.0, p.y}, style);
  };
  return {{"true path, a dot per step",
           [=](Svg& svg, Point p) {
             stroke(svg, p, kTrue);
             svg.circle(p, kDot, kTrueDot);
           }},
          {"filter's mean",
           [=](Svg& svg, Point p) {
             stroke(svg, p, kMean);
             square(svg, p, kMeanDot);
           }},
          {"one standard deviation", [](Svg& svg, Point p) { svg.circle(p, 8.0, kSpread); }},
          {"start", [](Svg& svg, Point p) { triangle(svg, p, kStart); }},
          {"end", [](Svg& svg, Point p) { diamond(svg, p, kEnd); }},
          {fmt::format("goal (within {:g})", reach),
           [](Svg& svg, Point p) { target(svg, p, 4.0, kGoal); }},
          {"light", [=](Svg& svg, Point p) { stroke(svg, p, kLight); }}};
}

/// The places of the keys in rows of this width, relative to the first key.
std::vector<Point> flow(const std::vector<Key>& all, double width) {
  std::vector<Point> places;
  Point at;
  for (const Key& key : all) {
    const double wide = 38.0 + kPanelLetter * static_cast<double>(key.words.size()) + 14.0;
    if (at.x > 0.0 && at.x + wide > width) at = {0.0, at.y + kLegendRow};
    places.push_back(at);
    at.x += wide;
  }
  return places;
}

}  // namespace

RoomPanel room_panel(const Trace& trace, std::string title, std::string source) {
  const auto point = [](const std::vector<float>& v, int at) { return Point{v[at], v[at + 1]}; };
  const Room& room = *trace.view.room;
  RoomPanel out{.title = std::move(title),
                .source = std::move(source),
                .room = room,
                .goal = point(trace.end.obs, room.goal),
                .total = trace.total};
  const auto add = [&](const Sight& sight) {
    out.positions.push_back(point(sight.latent, 0));
    out.means.push_back(point(sight.belief, 0));
    out.variances.push_back(sight.belief[2]);
  };
  for (const Moment& m : trace.moments) add(m.sight);
  add(trace.end);
  return out;
}

std::string room_figure(std::span<const RoomPanel> panels, std::string_view caption,
                        std::string name) {
  const int count = static_cast<int>(panels.size());
  const int columns = std::clamp(count, 1, kMostColumns), rows = (count + columns - 1) / columns;
  double tallest = 0.0, reach = 0.0;
  std::string names;
  for (const RoomPanel& panel : panels) {
    tallest = std::max(tallest, height_of(panel.room));
    reach = std::max(reach, panel.room.reach);
    names +=
        fmt::format("{}{}: return {:.1f}", names.empty() ? "" : "; ", panel.title, panel.total);
  }
  const double across = kLeft + kWidth + kRight, down = kAbove + tallest + kBelow;
  const std::vector<Key> legend = keys(reach);
  const std::vector<Point> places = flow(legend, columns * across - kLeft);
  const double legend_top = kCaption + rows * down + 14.0;
  Svg svg(std::move(name), {columns * across, legend_top + places.back().y + kLegendRow},
          fmt::format("Paths through a dark room: {}", caption),
          fmt::format("{}. The room is brightest at the dashed line of light. Drawn are the true "
                      "path, the path of the filter's mean and circles of one standard deviation.",
                      names));
  svg.text({kLeft, 18.0}, caption, {.size = kPanelText, .fill = kGrey});
  for (int i = 0; i < count; ++i) {
    const int row = i / columns, column = i % columns;
    const Point corner{kLeft + column * across, kCaption + kAbove + row * down};
    svg.group({.title = panels[i].source}, [&] { draw_panel(svg, panels[i], corner); });
  }
  for (std::size_t i = 0; i < legend.size(); ++i) {
    const Point at{kLeft + places[i].x, legend_top + places[i].y};
    legend[i].draw(svg, {at.x + 15.0, at.y - 4.0});
    svg.text({at.x + 38.0, at.y}, legend[i].words, {.size = kPanelText});
  }
  return svg.str();
}

}  // namespace bpo::report
