#include "bpo/cli/world.h"

#include <fmt/format.h>

#include "bpo/cli/arguments.h"

namespace bpo::cli {
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

TrainedPolicy load_trained(const std::string& directory, const std::vector<std::string>& sets,
                           bool greedy) {
  RunPlan changed = load_plan(directory, config_of(sets, "problem."));
  if (!sets.empty()) check_fits(load_plan(directory), changed);
  NetworkPolicy policy = load_policy(directory, changed, greedy);
  return {std::move(changed), std::move(policy)};
}

}  // namespace bpo::cli
