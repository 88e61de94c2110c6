// A network as a policy, and its actor. The actor remembers what it has computed: an encoder runs
// once per distinct input, the rest once per distinct pair.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bpo/core/recording_actor.h"
#include "bpo/nn/blocks.h"
#include "bpo/nn/kept_policy.h"
#include "bpo/nn/network.h"

namespace bpo {

/// Smooth functions on a joint grid with `sides` cells of each factor: products of cosines, each
/// divided by the sum of its squared frequencies. A network that sees a belief through them learns
/// first what neighbouring cells share. The constant is left out, for a belief sums to one.
std::vector<float> cosine_basis(std::span<const int> sides, int cells);

/// `own_spread`: whether continuous actions have a standard deviation for every input.
NetworkSpec network_spec(const ProblemSpec& problem, Sees sees, bool encoders, int hidden,
                         bool scale_belief = true, bool own_spread = false);

class NetworkPolicy final : public KeptPolicy, private ActionProbabilities {
 public:
  NetworkPolicy(std::shared_ptr<const Network> network, std::vector<float> theta, Sees sees,
                bool greedy = false)
      : network_(std::move(network)), theta_(std::move(theta)), sees_(sees), greedy_(greedy) {}

  const Network& network() const { return *network_; }
  const std::vector<float>& theta() const { return theta_; }
  bool greedy() const { return greedy_; }

  Sees sees() const override { return sees_; }
  void save(TensorFile& file) const override;
  std::unique_ptr<Actor> make_actor() const override;
  const ActionProbabilities* probabilities() const override {
    return sees_latent() || network_->spec().gaussian ? nullptr : this;
  }

 private:
  void compute(const PolicyInputs& in, std::span<float> out) const override;

  std::shared_ptr<const Network> network_;
  std::vector<float> theta_;
  Sees sees_;
  bool greedy_;
};

class NetworkActor final : public RecordingActor {
 public:
  /// Unless it must keep them, the actor forgets its inputs between tiles once they are many.
  NetworkActor(const Network& network, std::span<const float> theta, Sees sees, bool greedy,
               bool keep_inputs = false);

  void set_theta(std::span<const float> theta) override;

  void begin(const PolicyInputs& in) override;
  void act(const PolicyInputs& in, Actions& actions) override;
  void forget() override;

  /// Registers one column; compute() then makes the distributions of all new ones. `b` is what
  /// stands in the belief's place; a network without a state encoder has o and b side by side.
  int see(std::span<const float> o, const float* b);
  void compute();
  /// Probabilities, or means (and the logarithms of their own standard deviations), of a column.
  std::span<const float> distribution(int column) const;

 private:
  void project(const Branch& branch, const std::vector<float>& join_t, const ColumnSet& columns,
               std::vector<float>& projected, int& done);

  const Network& network_;
  std::span<const float> theta_;
  Sees sees_;
  bool greedy_, keep_inputs_;
  std::vector<float> joined_;
  std::vector<float> state_join_t_, belief_join_t_;
  std::vector<float> p_state_, p_belief_, distribution_;
  int states_done_ = 0, beliefs_done_ = 0, pairs_done_ = 0;
  Block x_, h_[2], z_, h1_, h2_, out_;
};

}  // namespace bpo
