// The policy of a run and the world it is put into.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bpo/agent/bundle.h"
#include "bpo/runs/run.h"

namespace bpo {

/// The run's policy for its problem with `sets` (problem.*) changed. A change by which a policy
/// that is kept in a file would see or do something else than in its training is refused; one that
/// is not is made again in the changed world, and is never greedy.
LoadedPolicy load_run(const std::string& directory, const std::vector<std::string>& sets = {},
                      bool greedy = false);

/// load_run() of the run itself, or of all the seeds of one training that the directory holds.
std::vector<LoadedPolicy> load_runs(const std::string& directory,
                                    const std::vector<std::string>& sets, bool greedy);

}  // namespace bpo
