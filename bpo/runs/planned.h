// A run whose policy is planned rather than trained: its config.toml says everything.
#pragma once

#include <memory>
#include <string>

#include "bpo/algorithms/checkpoint.h"
#include "bpo/core/any_problem.h"
#include "bpo/core/policy.h"

namespace bpo {

struct PlannedRun {
  RunIdentity run;
  std::unique_ptr<AnyProblem> problem;
  std::unique_ptr<Policy> policy;  // refers to the problem
  std::string toml;                // resolved
};

bool is_planned(Config config);
/// Reads run.*, problem.* and planner.*; run.algorithm names the planner.
PlannedRun make_planned(Config config);

}  // namespace bpo
