// A policy and its filter without a world: what runs on a robot, in a loop of one's own, or behind
// another language. It is told in plain numbers what was seen and what was done; it keeps the
// belief and chooses. One episode at a time, one agent per thread.
//
//   bpo::Agent agent = bpo::Agent::load("runs/tiger-0/policy.safetensors");
//   agent.reset(seed);
//   while (...) {
//     const auto action = agent.act(observation);
//     ... do it, and see what comes of it ...
//     agent.observe(action, next_observation);
//   }
//
// This header needs nothing but the standard library. Errors are bpo::Error (bpo/core/error.h).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace bpo {

struct LoadedPolicy;

/// What the numbers stand for, in their order.
struct AgentNames {
  std::string problem;
  std::vector<std::string> observation;         // one per number
  std::vector<std::string> observation_values;  // names of its values, where it is an index
  std::vector<std::string> action;              // one per number
  std::vector<std::string> action_values;       // names of its values, where an action is an index
  std::vector<std::string> latent;              // one per factor of what is unknown
  std::vector<std::string> belief;              // one per number of belief()
  std::vector<std::string> estimate;            // one per number of estimate()
};

class Agent {
 public:
  /// From a run's policy.safetensors, which is all it needs. A greedy agent takes the most probable
  /// action instead of a random one.
  static Agent load(const std::string& path, bool greedy = false);
  /// Refuses a policy that sees the true latent, and a problem whose observations cannot be told.
  explicit Agent(LoadedPolicy loaded);
  Agent(Agent&&) noexcept;
  Agent& operator=(Agent&&) noexcept;
  ~Agent();

  const AgentNames& names() const;
  /// How many numbers an observation and an action are.
  int observation_size() const;
  int action_size() const;
  /// The limits of an action that is not an index; a robot's own are applied to what is executed.
  double action_low() const;
  double action_high() const;

  /// A new episode begins. Random choices are those of `bpo play --seed SEED --episode EPISODE`.
  void reset(std::uint64_t seed, std::uint64_t episode = 0);
  /// Chooses after this observation: the episode's first, or the one told last. The action is valid
  /// until the next call.
  std::span<const double> act(std::span<const double> observation);
  /// Tells the action that was executed, whoever chose it, and what was seen then. False if no
  /// model explains it; the belief has then fallen back to the prior.
  bool observe(std::span<const double> executed, std::span<const double> next);

  /// Bounds the time of observe() where the filter simulates models (robots): at most so many per
  /// step, 0 for all that matter. What is left for later steps keeps the belief flatter until then.
  /// Refused where a filter has to simulate all its models in every step.
  void limit_models(int most);

  /// The belief as the policy sees it, the estimate of the latent, and the belief's entropy in
  /// nats.
  std::span<const float> belief() const;
  std::span<const float> estimate() const;
  double entropy() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace bpo
