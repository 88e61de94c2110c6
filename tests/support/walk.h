// An episode that is made up, so that every number of its replay is known.
#pragma once

#include "bpo/core/trace.h"

namespace bpo::test {

/// A ball and a rod that move by a centimetre a step along x, and a belief that grows certain.
inline Trace walk(Camera camera, int steps) {
  Trace trace;
  trace.view.stage = Stage{camera, 0.02};
  trace.spec.grid = BeliefGrid{{{0.9, 1.1}, {0.9, 1.1}}, true};
  trace.spec.latent_dim = 2;
  trace.view.latents = {"factor 1", "factor 2"};
  const auto look = [](int t) {
    const double x = 0.01 * t;
    const float p = 0.25f + 0.0025f * static_cast<float>(t), rest = (1.0f - p) / 3.0f;
    return Sight{.belief = {rest, rest, p, rest},
                 .latent = {1.2f, 0.85f},
                 .belief_entropy = 1.0,
                 .scene = {{{x, 0, 0.5}, {x, 0, 0.5}, 0.25}, {{x, 0, 0.5}, {x + 0.3, 0, 0}, 0.05}}};
  };
  for (int t = 0; t < steps; ++t) {
    trace.moments.push_back({.t = t, .sight = look(t), .reward = 1.0, .total = t + 1.0});
  }
  trace.end = look(steps);
  return trace;
}

}  // namespace bpo::test
