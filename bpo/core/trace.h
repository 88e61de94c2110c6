// One episode step by step: what there was to see, what was done, what came of it.
#pragma once

#include <cstdint>
#include <vector>

#include "bpo/core/any_problem.h"
#include "bpo/core/fault.h"
#include "bpo/core/policy.h"

namespace bpo {

/// What there is to see of a world at one time.
struct Sight {
  std::vector<float> obs, belief, latent;
  double belief_entropy = 0.0;
  std::vector<Solid> scene;  // empty unless the problem is Drawable
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
  ProblemView view;
  std::vector<Moment> moments;
  Sight end;  // after the last step
  double total = 0.0;
  std::vector<Fault> faults;  // at most the one that ended it
};

/// Episode `episode` of `seed`, as evaluate() plays it.
Trace trace_episode(const AnyProblem& problem, const Policy& policy, std::uint64_t seed,
                    std::uint64_t episode);

}  // namespace bpo
