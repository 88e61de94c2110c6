// What a report is about: the runs of one problem, how they were trained, and what they do in the
// same episodes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bpo/runs/group.h"
#include "bpo/runs/history.h"

namespace bpo {

/// A directory that somebody named: a run, or its seeds.
struct Subject {
  std::string label;  // the method; with the directory where that is not enough
  std::vector<LoadedPolicy> policies;
  std::vector<History> histories;  // empty for a plan
  Group group;                     // with exact values where all seeds have one

  const ProblemSpec& spec() const { return policies.front().problem->spec(); }
  /// "seeds 0, 1, 2".
  std::string seeds() const;
};

struct Study {
  std::string problem;
  Protocol protocol;
  std::vector<Subject> subjects;
  std::optional<double> optimum;  // where it can be computed and is the same for all

  /// Whether an episode is the same for all of them.
  bool one_world() const;
  /// How many of the episodes are watched step by step: a tile, or less of it if it is simulated.
  int watched() const;
};

/// The directories by problem, in the order in which the problems are first named. Where the
/// protocol asks for no number of episodes, there are 1000, or 100 if they are simulated.
std::vector<Study> study(const std::vector<std::string>& directories, const Protocol& protocol,
                         Log& log, ThreadPool& pool);

/// P(action | belief) at the beliefs that are possible after a few steps, the mean over what may
/// have been seen last: [belief in the first cell] -> probabilities. Empty unless the belief is
/// between two values and the policy is a function of it.
std::map<double, std::vector<double>> action_probabilities(const LoadedPolicy& loaded);

}  // namespace bpo
