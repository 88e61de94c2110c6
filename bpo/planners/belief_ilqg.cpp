#include "bpo/planners/belief_ilqg.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "bpo/planners/belief_newton.h"
#include "bpo/planners/planner.h"

namespace bpo {
namespace {

constexpr int kTrialIterations = 3;
constexpr int kMaxHorizon = 500;  // all actions are one quadratic programme

class Replanner final : public Actor {
 public:
  Replanner(const AnyProblem& problem, const BeliefIlqgOptions& options)
      : spec_(problem.spec()),
        options_(options),
        model_(*problem.dynamics(), spec_, static_cast<int>(options.rollouts)),
        newton_(model_),
        plan_(spec_.horizon, model_.belief_dim(), model_.action_dim()),
        best_(plan_),
        kept_(kLanes, plan_) {}

  void begin(const PolicyInputs&) override {}

  void act(const PolicyInputs& in, Actions& actions) override {
    for (int lane = 0; lane < in.episodes.count; ++lane) {
      if (in.done[lane]) continue;
      plan(in, lane);
      for (int i = 0; i < spec_.actions.dim; ++i) {
        actions.box[lane][i] = static_cast<float>(kept_[lane].a[0][i]);
      }
    }
  }

 private:
  void plan(const PolicyInputs& in, int lane) {
    const ActionSpace& actions = spec_.actions;
    LinearPlan& kept = kept_[lane];
    if (in.time == 0) {
      kept.hold(0.5 * (actions.low + actions.high));
    } else {
      kept.shift();
    }
    const int steps = std::max(1, spec_.horizon - in.time);  // an agent may go on
    model_.aim(in.belief[lane], in.obs[lane], steps);
    best_ = kept;
    attempt(best_);
    for (std::int64_t i = 0; i < options_.guesses; ++i) {
      plan_ = kept;
      detour(Rng(1, Use::kPlan, static_cast<std::uint64_t>(i), static_cast<std::uint32_t>(in.time)),
             steps);
      attempt(plan_);
      if (plan_.cost < best_.cost) std::swap(plan_, best_);
    }
    newton_.improve(best_, static_cast<int>(options_.iterations));
    std::swap(kept, best_);
  }

  void attempt(LinearPlan& plan) {
    model_.follow(plan);
    newton_.improve(plan, kTrialIterations);
  }

  /// Overwrites the beginning of the plan: every entry of the action stays at a limit or in the
  /// middle for a while.
  void detour(Rng rng, int steps) {
    for (PlanMat& gain : plan_.gain) gain.setZero();
    const int hold = 1 + rng.below(steps);
    const double low = spec_.actions.low, high = spec_.actions.high;
    for (int i = 0; i < spec_.actions.dim; ++i) {
      const double value = low + 0.5 * (high - low) * rng.below(3);
      for (int t = 0; t < hold; ++t) plan_.a[t][i] = value;
    }
  }

  const ProblemSpec& spec_;
  const BeliefIlqgOptions& options_;
  BeliefModel model_;
  BeliefNewton newton_;
  LinearPlan plan_, best_;
  std::vector<LinearPlan> kept_;  // a plan for each lane
};

class BeliefIlqg final : public Policy {
 public:
  BeliefIlqg(const AnyProblem& problem, const BeliefIlqgOptions& options)
      : problem_(problem), options_(options) {}
  std::unique_ptr<Actor> make_actor() const override {
    return std::make_unique<Replanner>(problem_, options_);
  }

 private:
  const AnyProblem& problem_;
  const BeliefIlqgOptions options_;
};

std::vector<std::string> suitable_problems() {
  std::vector<std::string> out;
  for (const auto& [name, entry] : problems().entries()) {
    Config defaults;
    if (entry.make(defaults)->dynamics() != nullptr) out.push_back(name);
  }
  return out;
}

const RegisterPlanner kBeliefIlqg{planner_entry<BeliefIlqgOptions>(
    "belief-ilqg", "iterative LQG in belief space, planned anew at every step", make_belief_ilqg)};

}  // namespace

void BeliefIlqgOptions::visit(OptionVisitor& v) {
  v.integer("guesses", guesses, {0, 1e6}, "how many other first plans each plan is compared with");
  v.integer("iterations", iterations, {1, 1e6},
            "the most Newton steps that improve the best first plan");
  v.integer("rollouts", rollouts, {1, 1e5}, "simulated beliefs by which plans are compared");
}

std::unique_ptr<Policy> make_belief_ilqg(const AnyProblem& problem,
                                         const BeliefIlqgOptions& options) {
  const ProblemSpec& spec = problem.spec();
  if (problem.dynamics() == nullptr || spec.actions.discrete()) {
    throw bad_input(fmt::format(
        "belief-ilqg needs a problem whose belief moves as a vector ({}); that of {} does not, "
        "with these options",
        fmt::join(suitable_problems(), ", "), spec.name));
  }
  const int dim = problem.dynamics()->belief_dim() + spec.actions.dim;
  if (dim > kMaxPlanDim) {
    throw bad_input(fmt::format(
        "belief-ilqg plans for at most {} numbers of belief and action together; {} has {}",
        kMaxPlanDim, spec.name, dim));
  }
  if (spec.horizon > kMaxHorizon) {
    throw bad_input(fmt::format("belief-ilqg plans at most {} steps ahead; problem.horizon is {}",
                                kMaxHorizon, spec.horizon));
  }
  return std::make_unique<BeliefIlqg>(problem, options);
}

}  // namespace bpo
