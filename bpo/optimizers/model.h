// What is trained: parameters theta, the policy they make, and the objective of a batch. The
// optimisers, the sampler and the training loop see this much of it. The network of Fig. 1b is one
// (network_model.h); a new one is a file of its own. Calls are as rare as batches: what happens for
// a lane or a step is a model's own affair.
//   L(theta) = mean of A pi_theta(a|x) / pi_old(a|x),  D(theta) = mean KL(pi_old || pi_theta)
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bpo/core/batch.h"
#include "bpo/core/parallel.h"
#include "bpo/core/recording_actor.h"
#include "bpo/nn/kept_policy.h"
#include "bpo/nn/tensor_info.h"
#include "bpo/optimizers/baseline.h"

namespace bpo {

/// A batch and what its steps are worth.
struct RatedBatch {
  const Batch& batch;
  std::vector<double> advantages;  // by step
  std::vector<std::uint8_t> keep;  // by step: whether it counts (EPOpt's worst share); empty: all
};

/// The surrogate L of a batch, its gradient (or that of PPO's clipped form), and products with the
/// Fisher matrix, the Hessian of D at theta_old.
class PolicyObjective {
 public:
  struct Value {
    double surrogate = 0.0, kl = 0.0, entropy = 0.0;
    Value& operator+=(const Value& part) {
      surrogate += part.surrogate;
      kl += part.kl;
      entropy += part.entropy;
      return *this;
    }
  };
  virtual ~PolicyObjective() = default;

  /// Starts a new batch, which must stay as it is, at theta_old, and moves there.
  virtual Value bind(const RatedBatch& batch, std::span<const float> theta_old) = 0;
  /// What a batch can be divided into: distinct inputs here, episodes elsewhere.
  virtual int units() const = 0;
  /// The objective of these units alone, scaled up to stand for the whole, at theta_old. It lives
  /// until the next call of this or of bind().
  virtual PolicyObjective& part(std::span<const int> units, std::span<const float> theta_old) = 0;

  /// Moves to theta, for a gradient there.
  virtual Value move(std::span<const float> theta) = 0;
  /// The value at theta alone. The objective stays nowhere: move() before the next gradient.
  virtual Value evaluate(std::span<const float> theta) = 0;
  /// out = the gradient of L where the objective is, clipped PPO's way if clip > 0.
  virtual void gradient(double clip, std::span<double> out) = 0;
  /// out = F v, F the Fisher matrix at theta_old, if the objective is there.
  virtual void fisher(std::span<const double> v, std::span<double> out) = 0;
};

/// How theta begins: a seed, scales of its first weights, and the logarithm of the first standard
/// deviation where actions are continuous.
struct Beginning {
  std::uint64_t seed = 0;
  float hidden = 1.0f, head = 1.0f, log_std = 0.0f;
};

/// The sizes of what the model's actors record: what stands for the state and for the belief.
struct InputDims {
  int state = 0, belief = 0;
};

class Model {
 public:
  virtual ~Model() = default;

  /// The parts of theta, one after another.
  virtual const std::vector<TensorInfo>& tensors() const = 0;
  virtual InputDims inputs() const = 0;
  /// Whether it looks at the belief or the estimate.
  virtual bool sees_belief() const = 0;
  /// What its policies say of themselves in a file (KeptPolicy::save).
  virtual std::string text() const = 0;

  virtual std::vector<float> initialize(const Beginning& how) const = 0;
  /// Changes theta so that it sees the inputs of this batch well scaled, if the model knows how.
  virtual void whiten(const Batch&, std::span<float>) const {}

  /// The sampler's actor keeps its inputs until set_theta(). theta must outlive it.
  virtual std::unique_ptr<RecordingActor> make_actor(std::span<const float> theta) const = 0;
  virtual std::unique_ptr<KeptPolicy> make_policy(std::vector<float> theta, bool greedy) const = 0;
  /// Model and pool must outlive what these two make.
  virtual std::unique_ptr<PolicyObjective> make_objective(ThreadPool& pool) const = 0;
  virtual std::unique_ptr<Baseline> make_baseline(const BaselineOptions& options,
                                                  ThreadPool& pool) const = 0;

  std::size_t parameters() const;
  /// The policy that was saved in the file at `path`. That of another model is refused, as is a
  /// tensor that is missing or of another shape.
  std::unique_ptr<KeptPolicy> read_policy(const TensorFile& file, bool greedy,
                                          const std::string& path) const;
};

}  // namespace bpo
