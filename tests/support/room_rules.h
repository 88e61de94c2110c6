// Rules of thumb for a room: a stride is at most as long as the box of actions on each axis.
#pragma once

#include <functional>
#include <utility>

#include "bpo/filters/gaussian.h"
#include "tests/support/problems.h"

namespace bpo::test {

/// Where to stride from the current place, by the world and the lane.
using Rule = std::function<Vec<2>(const World&, int lane)>;

inline FunctionPolicy walking(Rule rule) {
  return FunctionPolicy([rule = std::move(rule)](const World& world, int lane, Actions& actions) {
    const Vec<2> way = rule(world, lane);
    for (int i = 0; i < 2; ++i) actions.box[lane][i] = static_cast<float>(way[i]);
  });
}

inline Vec<2> pair_at(std::span<const float> values, int at = 0) {
  return {values[at], values[at + 1]};
}
inline Vec<2> goal_of(const World& w, int lane) {
  return pair_at(w.obs()[lane], w.spec().room->goal);
}
inline Vec<2> mean_of(const World& w, int lane) { return pair_at(w.belief()[lane]); }
inline Vec<2> place_of(const World& w, int lane) { return pair_at(w.latent()[lane]); }

inline Vec<2> stride(const World& w, const Vec<2>& way) {
  return way.cwiseMax(w.spec().actions.low).cwiseMin(w.spec().actions.high);
}

inline Vec<2> straight_to_goal(const World& w, int lane) {
  return stride(w, goal_of(w, lane) - mean_of(w, lane));
}
inline Vec<2> straight_to_goal_seeing(const World& w, int lane) {
  return stride(w, goal_of(w, lane) - place_of(w, lane));
}
/// Along the light's line towards the goal's height while the time for the rest of the way lasts,
/// then to the goal.
inline Vec<2> by_way_of_the_light(const World& w, int lane) {
  const Vec<2> m = mean_of(w, lane), g = goal_of(w, lane);
  const double strides = (g - m).cwiseAbs().maxCoeff() / w.spec().actions.high;
  const int left = w.spec().horizon - w.time();
  if (left < strides + 2.0) return stride(w, g - m);
  return stride(w, Vec<2>(w.spec().room->light, g[1]) - m);
}

}  // namespace bpo::test
