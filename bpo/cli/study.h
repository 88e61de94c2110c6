// What a report is about: the runs of one problem, how they were trained, and what they do in the
// same episodes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bpo/cli/groups.h"
#include "bpo/cli/history.h"
#include "bpo/cli/world.h"

namespace bpo::cli {

struct StudiedRun {
  std::string directory;
  LoadedPolicy loaded;
  History history;  // empty for a plan
};

/// A directory of the command line: a run, or its seeds.
struct Subject {
  std::string label;  // the method; with the directory where that is not enough
  Group group;
  std::vector<StudiedRun> runs;
  std::vector<double> exact;  // by seed, where the results of all of them know it

  const ProblemSpec& spec() const { return runs.front().loaded.problem->spec(); }
  /// "seeds 0, 1, 2".
  std::string seeds() const;
};

struct Study {
  std::string problem;
  EpisodeArguments episodes;
  std::vector<Subject> subjects;
  std::optional<double> optimum;  // where it can be computed and is the same for all

  /// Whether an episode is the same for all of them.
  bool one_world() const;
  std::uint64_t seed() const;
  /// How many of the episodes are watched step by step: a tile, or less of it if it is simulated.
  int watched() const;
};

/// The directories by problem, in the order in which the problems are first named. Where
/// `episodes.count` is 0, there are 1000 of them, or 100 if they are simulated.
std::vector<Study> study(const std::vector<std::string>& directories,
                         const EpisodeArguments& episodes, ThreadPool& pool);

/// P(action | belief) at the beliefs that are possible after a few steps, the mean over what may
/// have been seen last: [belief in the first cell] -> probabilities. Empty unless the belief is
/// between two values and the policy is a function of it.
std::map<double, std::vector<double>> action_probabilities(const LoadedPolicy& loaded);

}  // namespace bpo::cli
