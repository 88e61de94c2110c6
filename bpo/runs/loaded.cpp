#include "bpo/runs/loaded.h"

#include <fmt/format.h>

#include <utility>

#include "bpo/runs/planned.h"
#include "bpo/runs/seeds.h"
#include "bpo/runs/settings.h"

namespace bpo {
namespace {

void check_same(const char* what, int trained, int changed) {
  if (trained == changed) return;
  throw bad_input(
      fmt::format("--set: the policy was trained on {} of {} numbers, and here it has {}; such a "
                  "change needs a new training",
                  what, trained, changed));
}

/// Two beliefs of equal size may still mean different things; their factors tell.
void check_fits(const RunPlan& trained, const RunPlan& changed) {
  const ProblemSpec& was = trained.setup.problem->spec();
  const ProblemSpec& is = changed.setup.problem->spec();
  check_same("an observation", was.obs_dim, is.obs_dim);
  if (trained.setup.method.sees == Sees::kBelief) {
    check_same("a belief", was.belief_dim, is.belief_dim);
  }
  check_same("an estimate", was.estimate_dim, is.estimate_dim);
  check_same("a latent", was.latent_dim, is.latent_dim);
  check_same("an action", was.actions.size(), is.actions.size());
}

}  // namespace

LoadedPolicy load_run(const std::string& directory, const std::vector<std::string>& sets,
                      bool greedy) {
  const Config changes = config_of(sets, "problem.");
  Config config = load_config(directory);
  if (is_planned(config)) {
    const std::string settings = config.hash();
    config.merge(changes);
    PlannedRun planned = make_planned(std::move(config));
    planned.run.settings = settings;
    return {directory, planned.run, std::move(planned.problem), std::move(planned.policy),
            false,     planned.toml};
  }
  RunPlan changed = load_plan(directory, changes);
  if (!sets.empty()) check_fits(load_plan(directory), changed);
  auto policy = std::make_unique<NetworkPolicy>(best_policy(directory, changed, greedy));
  return {directory,         changed.run, std::move(changed.setup.problem),
          std::move(policy), greedy,      changed.toml};
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
