#include "bpo/cli/groups.h"

#include "bpo/cli/measure.h"
#include "bpo/cli/seeds.h"
#include "bpo/cli/settings.h"
#include "bpo/cli/world.h"
#include "bpo/core/simulate.h"

namespace bpo::cli {
namespace {

struct Measured {
  Group group;
  LoadedPolicy first;
};

Measured measure_group(const std::string& directory, const EpisodeArguments& episodes,
                       ThreadPool& pool) {
  const std::vector<std::string> runs = runs_of(directory);
  Measured out{.group = {.directory = directory}, .first = {}};
  Group& group = out.group;
  for (const std::string& run : runs) {
    LoadedPolicy loaded = load_policy(run, episodes.sets, episodes.greedy);
    if (group.problem.empty()) {
      group.problem = loaded.run.problem;
      group.algorithm = loaded.run.algorithm;
      group.returns.assign(
          static_cast<std::size_t>(episodes_or_usual(episodes.count, loaded.problem->spec())), 0.0);
    } else {
      check_one_training(runs.front(), out.first, run, loaded);
    }
    const Evaluation evaluation =
        evaluate(*loaded.problem, *loaded.policy,
                 derive_seed(static_cast<std::uint64_t>(episodes.seed), kEvaluationPurpose),
                 static_cast<std::int64_t>(group.returns.size()), pool);
    group.seed_means.push_back(evaluation.mean());
    group.faults += static_cast<std::int64_t>(evaluation.faults.size());
    for (std::size_t e = 0; e < group.returns.size(); ++e) {
      group.returns[e] += evaluation.returns[e] / static_cast<double>(runs.size());
    }
    if (run == runs.front()) out.first = std::move(loaded);
  }
  return out;
}

}  // namespace

std::vector<Group> measure_groups(const std::vector<std::string>& directories,
                                  const EpisodeArguments& episodes, ThreadPool& pool) {
  std::vector<Group> groups;
  LoadedPolicy first;
  for (const std::string& directory : directories) {
    Measured next = measure_group(directory, episodes, pool);
    if (groups.empty()) {
      first = std::move(next.first);
    } else {
      check_one_problem(directories.front(), first.run.problem, directory, next.group.problem);
      next.group.differs = world_difference(first, next.first);
    }
    groups.push_back(std::move(next.group));
  }
  return groups;
}

}  // namespace bpo::cli
