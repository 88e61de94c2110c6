// A trained policy and the world it is put into, as `eval` and `play` need them.
#pragma once

#include <string>
#include <vector>

#include "bpo/algorithms/run.h"

namespace bpo::cli {

struct TrainedPolicy {
  RunPlan plan;  // with the changes
  NetworkPolicy policy;
};

/// Loads the run's policy for its problem with `sets` (problem.*) changed. A change that gives the
/// policy other inputs or actions than it was trained with is refused.
TrainedPolicy load_trained(const std::string& directory, const std::vector<std::string>& sets,
                           bool greedy);

}  // namespace bpo::cli
