#include "bpo/runs/loaded.h"

#include <utility>

#include "bpo/runs/seeds.h"
#include "bpo/runs/settings.h"

namespace bpo {
namespace {

/// Where the settings say everything, loading is solving again.
LoadedPolicy solve_again(const std::string& directory, const Config& changes) {
  RunPlan plan = load_plan(directory, changes);
  ThreadPool pool(1);
  NullLog quiet;
  const std::unique_ptr<Solution> solution = plan.start(pool);
  solve(*solution, {}, quiet);
  return {.directory = directory,
          .run = plan.run,
          .problem = std::move(plan.problem),
          .policy = solution->policy(),
          .toml = plan.toml};
}

}  // namespace

LoadedPolicy load_run(const std::string& directory, const std::vector<std::string>& sets,
                      bool greedy) {
  const Config changes = config_of(sets, "problem.");
  const RunIdentity run = identity_of(load_config(directory));
  if (!solvers().at(run.algorithm).keeps_policy) return solve_again(directory, changes);
  LoadedPolicy out = open_bundle(policy_path(directory), changes, greedy, &run);
  out.directory = directory;
  return out;
}

std::vector<LoadedPolicy> load_runs(const std::string& directory,
                                    const std::vector<std::string>& sets, bool greedy) {
  std::vector<LoadedPolicy> out;
  for (const std::string& run : runs_of(directory)) {
    out.push_back(load_run(run, sets, greedy));
    check_one_training(out.front(), out.back());
  }
  return out;
}

}  // namespace bpo
