// How a policy is measured: on which episodes, in what world, and what else is to be known of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bpo/core/problem.h"
#include "bpo/core/rng.h"

namespace bpo {

/// What is computed exactly where the problem allows it: nothing, the optimum beside the mean, the
/// policy's own value as well, or that value instead of a mean.
enum class Exactness { kNothing, kOptimum, kValue, kValueOnly };

struct Protocol {
  std::int64_t episodes = 0;  // 0: the problem's usual number
  std::int64_t seed = 0;
  bool greedy = false;                 // always the most probable action
  std::vector<std::string> sets = {};  // changes to the world: problem.KEY=VALUE
  Exactness exactness = Exactness::kNothing;
  bool curves = false;                       // entropy of the belief and return over time
  std::optional<std::int64_t> episode = {};  // the one that is to be seen step by step

  /// The seed of the episodes' random numbers, which no training or validation sees.
  std::uint64_t episode_seed() const {
    return derive_seed(static_cast<std::uint64_t>(seed), kEvaluationPurpose);
  }
  /// If none are asked for, enough for the third digit, or the paper's number of latents where
  /// beliefs are simulated.
  std::int64_t episodes_or_usual(const ProblemSpec& spec) const {
    if (episodes > 0) return episodes;
    return spec.simulated ? 500 : 10000;
  }
  /// Tells worlds and episodes apart: "5000", "slip=0.2-horizon=1000-5000", "greedy-seed=100-5000".
  std::string name() const;
};

}  // namespace bpo
