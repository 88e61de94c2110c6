// An episode step by step, as `bpo play --trace` shows it.
#pragma once

#include <string>
#include <vector>

#include "bpo/cli/result.h"
#include "bpo/core/problem.h"

namespace bpo::cli {

/// What there is to see of a world at one time.
struct Sight {
  std::vector<float> obs, belief, latent;
  double belief_entropy = 0.0;
};

struct Moment {
  int t = 0;
  Sight sight;
  int action = 0;
  std::vector<float> box;            // instead of `action` where actions are not discrete
  double reward = 0.0, total = 0.0;  // discounted, up to and including this step
};

struct Trace {
  ProblemSpec spec;
  std::vector<Moment> moments;
  Sight end;  // after the last step
  double total = 0.0;

  std::string text() const;
  Json json() const;
};

}  // namespace bpo::cli
