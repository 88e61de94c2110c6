// The policy of a run, trained or planned, and the world it is put into.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bpo/runs/run.h"

namespace bpo {

struct LoadedPolicy {
  std::string directory;
  RunIdentity run;
  std::unique_ptr<AnyProblem> problem;  // with the changes
  std::unique_ptr<Policy> policy;
  bool greedy = false;
  std::string toml;  // all its settings, with the changes
};

/// The run's policy for its problem with `sets` (problem.*) changed. A change that gives a trained
/// policy other inputs or actions than it was trained with is refused; a planner plans in the
/// changed world, and its actions are never sampled.
LoadedPolicy load_run(const std::string& directory, const std::vector<std::string>& sets = {},
                      bool greedy = false);

/// Likewise the run itself, or the seeds that the directory holds: all of one training.
std::vector<LoadedPolicy> load_runs(const std::string& directory,
                                    const std::vector<std::string>& sets, bool greedy);

}  // namespace bpo
