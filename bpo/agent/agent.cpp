#include "bpo/agent/agent.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bpo/agent/belief_names.h"
#include "bpo/agent/bundle.h"
#include "bpo/core/tracker.h"

namespace bpo {

struct Agent::Parts {
  LoadedPolicy loaded;
  std::unique_ptr<Tracker> tracker;
  std::unique_ptr<Actor> actor;
  AgentNames names;
  Actions actions;
  std::vector<double> action, last;
  std::uint64_t seed = 0, episode = 0;
  bool begun = false;
};

Agent Agent::load(const std::string& path, bool greedy) {
  return Agent(open_bundle(path, {}, greedy));
}

Agent::Agent(LoadedPolicy loaded) : parts_(std::make_unique<Parts>()) {
  const ProblemSpec& spec = loaded.problem->spec();
  parts_->tracker = loaded.problem->make_tracker();
  if (parts_->tracker == nullptr) {
    throw bad_input(fmt::format(
        "{}: an agent is told observations in plain numbers, and this problem does not say how "
        "its become some",
        spec.name));
  }
  if (loaded.policy->sees_latent()) {
    throw bad_input(fmt::format(
        "{}: this policy sees the true latent, which nobody knows outside of a simulation",
        spec.name));
  }
  parts_->actor = loaded.policy->make_actor();
  const ProblemView& view = loaded.problem->view();
  const bool discrete = spec.actions.discrete();
  parts_->names = {.problem = spec.name,
                   .observation = view.observation,
                   .observation_values = view.observation_values,
                   .action = discrete ? std::vector<std::string>{"action"} : view.actions,
                   .action_values = discrete ? view.actions : std::vector<std::string>{},
                   .latent = view.latents,
                   .belief = belief_numbers(*loaded.problem).names,
                   .estimate = estimate_numbers(*loaded.problem).names};
  parts_->actions = Actions(spec.actions.dim);
  parts_->action.resize(static_cast<std::size_t>(bpo::action_size(spec.actions)));
  parts_->last.resize(static_cast<std::size_t>(parts_->tracker->observation_size()));
  parts_->loaded = std::move(loaded);
  reset(0);
}

Agent::Agent(Agent&&) noexcept = default;
Agent& Agent::operator=(Agent&&) noexcept = default;
Agent::~Agent() = default;

const AgentNames& Agent::names() const { return parts_->names; }
int Agent::observation_size() const { return static_cast<int>(parts_->last.size()); }
int Agent::action_size() const { return static_cast<int>(parts_->action.size()); }
double Agent::action_low() const { return parts_->tracker->spec().actions.low; }
double Agent::action_high() const { return parts_->tracker->spec().actions.high; }
std::span<const float> Agent::belief() const { return parts_->tracker->inputs().belief[0]; }
std::span<const float> Agent::estimate() const { return parts_->tracker->inputs().estimate[0]; }
double Agent::entropy() const { return parts_->tracker->entropy(); }

void Agent::reset(std::uint64_t seed, std::uint64_t episode) {
  parts_->seed = derive_seed(seed, kEvaluationPurpose);
  parts_->episode = episode;
  parts_->tracker->reset();
  parts_->begun = false;
}

std::span<const double> Agent::act(std::span<const double> observation) {
  Parts& p = *parts_;
  if (!p.begun) {
    p.tracker->begin(p.seed, p.episode, observation);
    std::copy(observation.begin(), observation.end(), p.last.begin());
    p.actor->begin(p.tracker->inputs());
    p.begun = true;
  } else if (!std::equal(observation.begin(), observation.end(), p.last.begin(), p.last.end())) {
    throw bad_input(
        "act: this is not the observation that was told last; tell observe() what was done and "
        "seen, or reset() for a new episode");
  }
  p.actor->forget();  // an episode may last for days
  p.actor->act(p.tracker->inputs(), p.actions);
  if (p.tracker->spec().actions.discrete()) {
    p.action[0] = p.actions.index[0];
  } else {
    std::copy(p.actions.box[0].begin(), p.actions.box[0].end(), p.action.begin());
  }
  return p.action;
}

void Agent::limit_models(int most) {
  if (most < 0) throw bad_input("max_models: must be 0 (no limit) or more");
  parts_->tracker->limit_models(most);
}

bool Agent::observe(std::span<const double> executed, std::span<const double> next) {
  Parts& p = *parts_;
  if (!p.begun) throw bad_input("observe: tell act() the first observation of the episode first");
  const bool alive = p.tracker->update(executed, next);
  std::copy(next.begin(), next.end(), p.last.begin());
  return alive;
}

}  // namespace bpo
