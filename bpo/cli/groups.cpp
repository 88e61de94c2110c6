#include "bpo/cli/groups.h"

#include "bpo/cli/result.h"
#include "bpo/cli/seeds.h"
#include "bpo/cli/world.h"
#include "bpo/core/simulate.h"

namespace bpo::cli {
namespace {

Group measure_group(const std::string& directory, const EpisodeArguments& episodes,
                    ThreadPool& pool) {
  const std::vector<std::string> runs = runs_of(directory);
  Group group{.directory = directory};
  for (const std::string& run : runs) {
    const LoadedPolicy loaded = load_policy(run, episodes.sets, episodes.greedy);
    if (group.problem.empty()) {
      group.problem = loaded.run.problem;
      group.returns.assign(
          static_cast<std::size_t>(episodes_or_usual(episodes.count, loaded.problem->spec())), 0.0);
    }
    check_one_problem(runs.front(), group.problem, run, loaded.run.problem);
    const Evaluation evaluation =
        evaluate(*loaded.problem, *loaded.policy,
                 derive_seed(static_cast<std::uint64_t>(episodes.seed), kEvaluationPurpose),
                 static_cast<std::int64_t>(group.returns.size()), pool);
    group.algorithm = loaded.run.algorithm;
    group.seed_means.push_back(evaluation.mean());
    for (std::size_t e = 0; e < group.returns.size(); ++e) {
      group.returns[e] += evaluation.returns[e] / static_cast<double>(runs.size());
    }
  }
  return group;
}

}  // namespace

std::vector<Group> measure_groups(const std::vector<std::string>& directories,
                                  const EpisodeArguments& episodes, ThreadPool& pool) {
  std::vector<Group> groups;
  for (const std::string& directory : directories) {
    groups.push_back(measure_group(directory, episodes, pool));
    check_one_problem(groups.front().directory, groups.front().problem, directory,
                      groups.back().problem);
  }
  return groups;
}

}  // namespace bpo::cli
