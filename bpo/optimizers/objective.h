// The surrogate objective of a batch and its geometry:
//   L(theta) = mean of A pi_theta(a|x) / pi_old(a|x),  D(theta) = mean KL(pi_old || pi_theta),
// the gradient of L (or of PPO's clipped form), and exact products with the Fisher matrix, which is
// the Hessian of D at theta_old.
#pragma once

#include <span>
#include <vector>

#include "bpo/nn/heads.h"
#include "bpo/nn/pass.h"
#include "bpo/optimizers/samples.h"

namespace bpo {

class PolicyObjective {
 public:
  struct Value {
    double surrogate = 0.0, kl = 0.0, entropy = 0.0;
  };

  PolicyObjective(const Network& network, ThreadPool& pool)
      : network_(network), pool_(pool), pass_(network, pool) {}

  /// Starts a new batch at theta_old and moves there.
  Value bind(const Samples& samples, std::span<const float> theta_old);
  /// Moves to theta, for a gradient there.
  Value move(std::span<const float> theta);
  /// The value at theta alone. The objective stays nowhere: move() before the next gradient.
  Value evaluate(std::span<const float> theta);

  /// out = the gradient of L where the objective is, clipped PPO's way if clip > 0.
  void gradient(double clip, std::span<double> out);

  /// out = F v, F the Fisher matrix at theta_old, if the objective is there.
  void fisher(std::span<const double> v, std::span<double> out);

 private:
  void fill_categorical(int block, double clip, float* d) const;
  void fill_gaussian(int block, const Spread& sd, double clip, float* d, double* d_log_std) const;
  const float* old_block(int block) const { return old_.data() + block * pass_.output_block(); }
  const float* new_block(int block) const { return new_.data() + block * pass_.output_block(); }
  void run(std::span<const float> theta, bool for_gradient, std::vector<float>& into);
  Value value(std::span<const float> theta) const;
  Value categorical_value() const;
  Value gaussian_value(const Spread& sd) const;
  Spread spread(std::span<const float> theta) const {
    return Spread(theta.subspan(network_.log_std(), network_.spec().outputs));
  }
  const float* action(int k, int dim) const {
    return samples_->box->data() + static_cast<std::size_t>(samples_->step[k]) * dim;
  }

  const Network& network_;
  ThreadPool& pool_;
  NetworkPass pass_;
  const Samples* samples_ = nullptr;
  std::vector<float> theta_;      // where the objective is
  std::vector<float> old_, new_;  // probabilities or means, in blocks
  Spread old_sd_{{}};
  std::vector<float> v_;
};

}  // namespace bpo
