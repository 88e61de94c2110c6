// Rules of thumb for LightDark: a stride is at most half a metre on each axis.
#pragma once

#include <functional>
#include <utility>

#include "bpo/filters/gaussian.h"
#include "tests/support/problems.h"

namespace bpo::test {

constexpr double kLongest = 0.5, kLight = 5.0;
constexpr int kGoal = 2, kHorizon = 15;

/// Where to stride from the current place, by what the lane shows.
using Rule = std::function<Vector<2>(const PolicyInputs&, int lane)>;

inline FunctionPolicy walking(Rule rule) {
  return FunctionPolicy(
      [rule = std::move(rule)](const PolicyInputs& in, int lane, Actions& actions) {
        const Vector<2> way = rule(in, lane);
        for (int i = 0; i < 2; ++i) actions.box[lane][i] = static_cast<float>(way[i]);
      });
}

inline Vector<2> pair_at(std::span<const float> values, int at = 0) {
  return {values[at], values[at + 1]};
}
inline Vector<2> goal_of(const PolicyInputs& in, int lane) { return pair_at(in.obs[lane], kGoal); }
inline Vector<2> mean_of(const PolicyInputs& in, int lane) { return pair_at(in.belief[lane]); }
inline Vector<2> place_of(const PolicyInputs& in, int lane) { return pair_at(in.latent[lane]); }

inline Vector<2> stride(const Vector<2>& way) { return way.cwiseMax(-kLongest).cwiseMin(kLongest); }

inline Vector<2> straight_to_goal(const PolicyInputs& in, int lane) {
  return stride(goal_of(in, lane) - mean_of(in, lane));
}
inline Vector<2> straight_to_goal_seeing(const PolicyInputs& in, int lane) {
  return stride(goal_of(in, lane) - place_of(in, lane));
}
/// Along the light's line towards the goal's height while the time for the rest of the way lasts,
/// then to the goal.
inline Vector<2> by_way_of_the_light(const PolicyInputs& in, int lane) {
  const Vector<2> m = mean_of(in, lane), g = goal_of(in, lane);
  const double strides = (g - m).cwiseAbs().maxCoeff() / kLongest;
  const int left = kHorizon - in.time;
  if (left < strides + 2.0) return stride(g - m);
  return stride(Vector<2>(kLight, g[1]) - m);
}

}  // namespace bpo::test
