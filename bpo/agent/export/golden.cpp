#include "bpo/agent/export/golden.h"

#include <algorithm>

#include "bpo/core/tracker.h"

namespace bpo {
namespace {

/// An agent (agent/agent.h) that also shows what its network says.
class Witness {
 public:
  explicit Witness(const TakenApart& policy)
      : policy_(policy),
        tracker_(policy.loaded->problem->make_tracker()),
        world_(policy.loaded->problem->simulator()),
        actor_(make_actor(false)),
        greedy_(make_actor(true)),
        actions_(policy.spec().actions.dim),
        o_(static_cast<std::size_t>(tracker_->observation_size())) {}

  void episode(std::uint64_t seed, std::uint64_t episode, bool greedy, bool other, int steps,
               GoldenSequence& out) {
    const std::uint64_t derived = derive_seed(seed, kEvaluationPurpose);
    Rng latent(derived, Use::kLatent, episode), state(derived, Use::kState, episode);
    world_->reset(latent, state);
    world_->observe(state, o_);
    tracker_->reset();
    tracker_->begin(derived, episode, o_);
    bool alive = true;
    for (int t = 0; t < steps; ++t) {
      GoldenStep step = look(greedy ? greedy_ : actor_);
      step.first = t == 0;
      step.seed = seed;
      step.episode = episode;
      step.greedy = greedy;
      step.alive = alive;
      step.executed = other ? another(step.action) : step.action;
      Rng rng(derived, Use::kWorld, episode, static_cast<std::uint32_t>(t));
      const StepResult result = world_->step(step.executed, rng);
      world_->observe(rng, o_);
      if (!result.fault) alive = tracker_->update(step.executed, o_);
      out.push_back(std::move(step));
      if (result.done) return;
    }
  }

 private:
  NetworkActor make_actor(bool greedy) const {
    return {policy_.policy->network(), policy_.policy->theta(), policy_.policy->sees(), greedy};
  }
  GoldenStep look(NetworkActor& actor) {
    const PolicyInputs& in = tracker_->inputs();
    actor.act(in, actions_);
    GoldenStep step;
    if (policy_.encoded) {
      step.observation.assign(in.obs[0].begin(), in.obs[0].begin() + policy_.observation_size);
    } else {
      step.observation = o_;
    }
    if (policy_.sees_belief()) {
      const auto seen = policy_.sees_estimate() ? in.estimate[0] : in.belief[0];
      step.belief.assign(seen.begin(), seen.end());
    }
    const auto output = actor.distribution(actor.column(0));
    step.output.assign(output.begin(), output.end());
    if (policy_.spec().actions.discrete()) {
      step.action = {static_cast<double>(actions_.index[0])};
    } else {
      step.action.assign(actions_.box[0].begin(), actions_.box[0].end());
    }
    return step;
  }
  /// A valid action that was not chosen.
  std::vector<double> another(std::vector<double> action) const {
    const ActionSpace& space = policy_.spec().actions;
    for (double& a : action) {
      a = space.discrete() ? static_cast<double>((static_cast<int>(a) + 1) % space.count) : 0.5 * a;
    }
    return action;
  }

  const TakenApart& policy_;
  std::unique_ptr<Tracker> tracker_;
  std::unique_ptr<Simulator> world_;
  NetworkActor actor_, greedy_;
  Actions actions_;
  std::vector<double> o_;
};

}  // namespace

std::vector<GoldenSequence> golden_sequences(const TakenApart& policy) {
  Witness witness(policy);
  std::vector<GoldenSequence> out(kGoldenSequences);
  for (int k = 0; k < kGoldenSequences; ++k) {
    const bool greedy = k % 4 == 3, other = k % 5 == 4;
    const auto number = static_cast<std::uint64_t>(k);
    witness.episode(number, number, greedy, other, 6 + k % 9, out[k]);
    witness.episode(number + 100, 1, greedy, other, 4 + 5 * k % 11, out[k]);
  }
  return out;
}

Json golden_json(const std::vector<GoldenSequence>& sequences) {
  Json out = Json::array();
  for (const GoldenSequence& sequence : sequences) {
    Json steps = Json::array();
    for (const GoldenStep& step : sequence) {
      Json one{{"first", step.first}};
      if (step.first) {
        one["seed"] = step.seed;
        one["episode"] = step.episode;
        one["greedy"] = step.greedy;
      }
      one["observation"] = step.observation;
      one["belief"] = step.belief;
      one["output"] = step.output;
      one["action"] = step.action;
      one["executed"] = step.executed;
      one["alive"] = step.alive;
      steps.push_back(std::move(one));
    }
    out.push_back(std::move(steps));
  }
  return out;
}

}  // namespace bpo
