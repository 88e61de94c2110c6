// How often the belief that simulates few models has the same best cell as the full posterior,
// which simulates every model in every step, and how often either is right.
#pragma once

#include <cstdint>
#include <string>

#include "bpo/agent/bundle.h"
#include "bpo/core/parallel.h"

namespace bpo {

struct PosteriorAgreement {
  std::int64_t episodes = 0, steps = 0;
  std::int64_t same_best = 0;                     // steps after which both have the same best cell
  double worst = 0.0;                             // the largest L1 distance of the two beliefs
  std::int64_t pruned_right = 0, full_right = 0;  // episodes whose last best cell is the latent's

  void visit(Wire& wire);
};

/// Episodes of the policy of `run` with its problem's options, or of random actions at the defaults
/// if it is null. A cell is right if no other is nearer to the latent.
PosteriorAgreement compare_posteriors(const std::string& problem, const LoadedPolicy* run,
                                      std::int64_t episodes, ThreadPool& pool);

}  // namespace bpo
