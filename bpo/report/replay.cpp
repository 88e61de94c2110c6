#include "bpo/report/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "bpo/report/axes.h"
#include "bpo/report/belief.h"

namespace bpo::report {
namespace {

constexpr std::size_t kMostFrames = 200;
constexpr int kStills = 6, kPerRow = 3, kSmooth = 12;
constexpr double kAspect = 0.62;  // height of a picture, to its width
constexpr double kMetre = 1000.0;

struct Line2 {
  Point from, to;
};

/// An episode as a camera that follows the body sees it.
struct Film {
  Camera camera = Camera::kSide;
  std::vector<const Sight*> sights;
  std::vector<int> steps;
  std::vector<double> totals;
  std::vector<Point> centres;  // what the camera follows
  double width = kMetre;       // the picture's, in pixels
  std::vector<Line2> floor;

  double height() const { return kAspect * width; }
};

Point middle(Camera camera, const std::vector<Solid>& scene) {
  Point sum;
  for (const Solid& s : scene) {
    for (const auto& end : {s.from, s.to}) {
      const Point p = seen_by(camera, end).at;
      sum = {sum.x + p.x / 2, sum.y + p.y / 2};
    }
  }
  const auto n = static_cast<double>(std::max<std::size_t>(scene.size(), 1));
  return {sum.x / n, sum.y / n};
}

/// The path of the camera: it follows the body without shaking with every leg. From the side it
/// does not rise and fall.
std::vector<Point> follow(const Film& film) {
  std::vector<Point> raw, out;
  for (const Sight* sight : film.sights) raw.push_back(middle(film.camera, sight->scene));
  double level = 0.0;
  for (const Point p : raw) level += p.y / static_cast<double>(raw.size());
  const int n = static_cast<int>(raw.size());
  for (int i = 0; i < n; ++i) {
    const int first = std::max(0, i - kSmooth), last = std::min(n - 1, i + kSmooth);
    Point sum;
    for (int k = first; k <= last; ++k) sum = {sum.x + raw[k].x, sum.y + raw[k].y};
    const double count = last - first + 1;
    out.push_back({sum.x / count, film.camera == Camera::kSide ? level : sum.y / count});
  }
  return out;
}

/// The width of the picture, which the body never leaves.
double width_of(const Film& film) {
  double half = 100.0;
  for (std::size_t i = 0; i < film.sights.size(); ++i) {
    for (const Solid& s : film.sights[i]->scene) {
      for (const auto& end : {s.from, s.to}) {
        const Point p = seen_by(film.camera, end).at;
        const double r = kMetre * s.radius;
        half = std::max({half, std::abs(p.x - film.centres[i].x) + r,
                         (std::abs(p.y - film.centres[i].y) + r) / kAspect});
      }
    }
  }
  return 2.2 * half;
}

/// Draws a grid of one metre on the floor, as far as the camera ever sees it; from the side a line
/// with a notch at every metre.
std::vector<Line2> floor_of(const Film& film) {
  Extent x, y;
  for (const Sight* sight : film.sights) {
    for (const Solid& s : sight->scene) {
      x.add(s.from[0]);
      y.add(s.from[1]);
    }
  }
  if (x.empty()) return {};
  const double reach = std::ceil(1.5 * film.width / kMetre);
  const double left = std::floor(x.low) - reach, right = std::ceil(x.high) + reach;
  const double back = std::floor(y.low) - reach, front = std::ceil(y.high) + reach;
  const auto at = [&](double a, double b, double c = 0.0) {
    return seen_by(film.camera, {a, b, c}).at;
  };
  std::vector<Line2> out;
  if (film.camera == Camera::kSide) {
    out.push_back({at(left, 0), at(right, 0)});
    for (double a = left; a <= right; ++a) out.push_back({at(a, 0), at(a, 0, -0.06)});
    return out;
  }
  for (double a = left; a <= right; ++a) out.push_back({at(a, back), at(a, front)});
  for (double b = back; b <= front; ++b) out.push_back({at(left, b), at(right, b)});
  return out;
}

Film film_of(const Trace& trace) {
  Film film{.camera = trace.view.stage->camera};
  const std::size_t count = trace.moments.size() + 1;
  const std::size_t every = (count + kMostFrames - 1) / kMostFrames;
  for (std::size_t t = 0; t < count; t += every) {
    film.sights.push_back(t < trace.moments.size() ? &trace.moments[t].sight : &trace.end);
    film.steps.push_back(static_cast<int>(t));
    film.totals.push_back(t == 0 ? 0.0 : trace.moments[t - 1].total);
  }
  film.centres = follow(film);
  film.width = width_of(film);
  film.floor = floor_of(film);
  return film;
}

/// The order of the solids from the farthest to the nearest.
std::vector<int> order_of(const Film& film, const std::vector<Solid>& scene) {
  std::vector<int> order(scene.size());
  std::vector<double> near;
  for (std::size_t i = 0; i < scene.size(); ++i) {
    order[i] = static_cast<int>(i);
    near.push_back(seen_by(film.camera, scene[i].from).near +
                   seen_by(film.camera, scene[i].to).near);
  }
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return near[a] < near[b]; });
  return order;
}

nlohmann::json data_of(const Film& film, const Trace& trace) {
  using Json = nlohmann::json;
  const auto whole = [](double x) { return std::lround(std::clamp(x, -1e7, 1e7)); };
  Json out{{"width", whole(film.width)},
           {"height", whole(film.height())},
           {"seconds", trace.view.stage->step_seconds},
           {"radius", Json::array()},
           {"floor", Json::array()},
           {"frames", Json::array()}};
  for (const Solid& s : film.sights[0]->scene) out["radius"].push_back(whole(kMetre * s.radius));
  for (const Line2& l : film.floor) {
    out["floor"].push_back({whole(l.from.x), whole(l.from.y), whole(l.to.x), whole(l.to.y)});
  }
  for (std::size_t i = 0; i < film.sights.size(); ++i) {
    const Sight& sight = *film.sights[i];
    Json solids = Json::array(), belief = Json::array();
    for (const Solid& s : sight.scene) {
      for (const auto& end : {s.from, s.to}) {
        const Point p = seen_by(film.camera, end).at;
        solids.push_back(whole(p.x));
        solids.push_back(whole(p.y));
      }
    }
    if (trace.spec.grid && trace.spec.grid->joint) {
      for (const auto& row : joint_belief(trace, sight).rows) {
        for (const double b : row) belief.push_back(whole(1000.0 * b));
      }
    }
    Json frame{
        {"t", film.steps[i]},
        {"at", {whole(film.centres[i].x), whole(film.centres[i].y)}},
        {"solids", solids},
        {"belief", belief},
        {"total", std::isfinite(film.totals[i]) ? Json(whole(100.0 * film.totals[i])) : Json()},
        {"entropy", whole(1000.0 * sight.belief_entropy)}};
    if (film.camera == Camera::kCorner) frame["order"] = order_of(film, sight.scene);
    out["frames"].push_back(frame);
  }
  return out;
}

void draw_picture(Svg& svg, const Film& film, std::size_t i, Point corner, Point size) {
  const double unit = size.x / film.width;
  const Point c = film.centres[i];
  const auto at = [&](Point p) {
    return Point{corner.x + size.x / 2 + unit * (p.x - c.x),
                 corner.y + size.y / 2 + unit * (p.y - c.y)};
  };
  const std::vector<Solid>& scene = film.sights[i]->scene;
  svg.clip(corner, size, [&] {
    for (const Line2& l : film.floor) svg.line(at(l.from), at(l.to), {.stroke = kPale});
    for (const int k : order_of(film, scene)) {
      const Point from = at(seen_by(film.camera, scene[k].from).at);
      const Point to = at(seen_by(film.camera, scene[k].to).at);
      const double wide = 2.0 * unit * kMetre * scene[k].radius;
      svg.capsule(from, to, {.stroke = kBlack, .width = wide + 1.6});
      svg.capsule(from, to, {.stroke = k == 0 ? kBlue : kSkyBlue, .width = wide});
    }
  });
  svg.rect(corner, size, {.stroke = kPale});
}

std::string strip_of(const Film& film, const Trace& trace, const std::string& title) {
  const double wide = kChartWidth / kPerRow - 8.0, tall = kAspect * wide;
  const bool grid = trace.spec.grid && trace.spec.grid->joint;
  const double square = grid ? 0.62 * wide : 0.0, down = tall + square + 34.0;
  const int rows = (kStills + kPerRow - 1) / kPerRow;
  Svg svg("strip", {kChartWidth, 28.0 + rows * down}, title,
          "Moments of an episode, each with the belief over the factors below it");
  draw_title(svg, title);
  for (int k = 0; k < kStills; ++k) {
    const std::size_t i = k * (film.sights.size() - 1) / (kStills - 1);
    const int row = k / kPerRow, column = k % kPerRow;
    const Point corner{4.0 + column * (wide + 8.0), 30.0 + row * down};
    svg.group({"still"}, [&] {
      draw_picture(svg, film, i, corner, {wide, tall});
      svg.text({corner.x + 4.0, corner.y + 13.0}, fmt::format("t = {}", film.steps[i]),
               {.size = 11.0, .fill = kGrey});
      if (!grid) return;
      draw_cells(svg, joint_belief(trace, *film.sights[i]),
                 {corner.x + (wide - square) / 2, corner.y + tall + 8.0}, {square, square});
    });
  }
  return svg.str();
}

}  // namespace

Seen seen_by(Camera camera, const std::array<double, 3>& place) {
  // The camera stands at azimuth a from -y and at elevation e: all three views are this one.
  constexpr double kDegree = std::numbers::pi / 180.0;
  const double a = camera == Camera::kCorner ? 25.0 * kDegree : 0.0;
  const double e = camera == Camera::kTop    ? 90.0 * kDegree
                   : camera == Camera::kSide ? 0.0
                                             : 32.0 * kDegree;
  const auto& [x, y, z] = place;
  const double right = std::cos(a) * x + std::sin(a) * y;
  const double away = -std::sin(a) * x + std::cos(a) * y;
  return {{kMetre * right, -kMetre * (std::sin(e) * away + std::cos(e) * z)},
          std::sin(e) * z - std::cos(e) * away};
}

Replay replay_of(const Trace& trace, const std::string& title) {
  const Film film = film_of(trace);
  Replay out{.strip = strip_of(film, trace, title),
             .data = data_of(film, trace).dump(),
             .frames = film.sights.size()};
  if (trace.spec.grid && trace.spec.grid->joint) {
    out.belief = draw(joint_belief(trace, *film.sights.front()));
  }
  return out;
}

}  // namespace bpo::report
