// The policy network of Fig. 1b: state and belief each through an encoder of two tanh layers,
// joined into a network of two tanh layers and a linear head. BPO-'s plain network is the same
// without encoders. All parameters are one flat vector theta; this class is its map.
//
//   h_s = enc_s(o),  h_b = enc_b(b),  z = W_s h_s + W_b h_b + c,  out = W_o tanh(W_2 tanh(z) + c_2)
//   + c_o
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bpo/core/inputs.h"
#include "bpo/nn/tensor_info.h"

namespace bpo {

/// How an input is expected to vary in the course of a training; an sd of 0 leaves that to the
/// first batch.
struct Variation {
  float mean = 0.0f, sd = 0.0f;
};

/// `belief_scale` multiplies the belief before it enters; `belief_basis`, where there is one, turns
/// it into as many coefficients, which are well scaled already. Where one branch sees observation
/// and belief, the belief's entry `log_at` enters as its logarithm, and its first `led` entries as
/// differences from those of the observation that begin at `goal_at`.
struct NetworkSpec {
  int state_dim = 0, belief_dim = 0;  // 0: that input is absent
  float belief_scale = 1.0f;
  std::vector<float> belief_basis;          // [coefficient][cell]
  std::vector<Variation> belief_variation;  // [entry]: what whitening expects of it; or empty
  int log_at = -1, goal_at = -1, led = 0;
  int outputs = 0;
  int hidden = 32;          // N_h, a multiple of 8
  bool encoders = true;     // false: BPO-'s plain network
  bool gaussian = false;    // a free vector of log standard deviations follows the weights
  bool own_spread = false;  // instead of that vector, the outputs' second half are such logarithms

  int action_size() const { return own_spread ? outputs / 2 : outputs; }
};

/// W x (+ bias), as offsets into theta and into a gradient buffer whose rows are padded to 8.
struct Dense {
  int in = 0, out = 0;
  std::size_t weight = 0, bias = 0;
  int stride = 0;
  bool has_bias = true;
  std::size_t grad = 0;
  int grad_stride = 0;
  std::size_t grad_bias = 0;
};

/// One input with its encoder (empty when plain) and its share W_s or W_b of the joining layer.
struct Branch {
  int dim = 0;
  float scale = 1.0f;  // what the input is multiplied by
  std::vector<Dense> layers;
  Dense join;
  int width() const { return layers.empty() ? dim : layers.back().out; }
};

/// The scales of a network's first weights, as multiples of Glorot's.
struct InitialScale {
  float hidden = 1.0f, head = 1.0f;
};

class Network {
 public:
  explicit Network(const NetworkSpec& spec);

  const NetworkSpec& spec() const { return spec_; }
  std::size_t parameters() const { return parameters_; }
  std::size_t gradient_size() const { return gradient_size_; }
  const std::vector<TensorInfo>& tensors() const { return tensors_; }

  const Branch& state() const { return state_; }
  const Branch& belief() const { return belief_; }
  std::size_t join_bias() const { return join_bias_; }
  std::size_t join_bias_grad() const { return join_bias_grad_; }
  const Dense& middle() const { return middle_; }
  const Dense& head() const { return head_; }
  /// Where theta has the log standard deviations, or their first values for every input.
  std::size_t log_std() const { return log_std_; }

  /// Glorot-uniform weights times `scale`, zero biases, log-std 0.
  std::vector<float> initialize(std::uint64_t seed, const InitialScale& scale = {}) const;
  /// Changes the first layers so that they see these inputs with mean 0 and variance 1, or a belief
  /// with its expected variation where there is one.
  void whiten(const InputView& inputs, std::span<float> theta) const;

  /// A run of numbers that lie together in theta as in a padded gradient.
  struct Run {
    std::size_t padded, theta;
    int count;
  };
  /// All of them but the log standard deviations.
  const std::vector<Run>& runs() const { return runs_; }

  /// theta-shaped += a padded gradient, or that of one branch or of the rest alone.
  void unpack(std::span<const float> padded, std::span<double> gradient) const;
  void unpack(const Branch& branch, std::span<const float> padded,
              std::span<double> gradient) const;
  void unpack_trunk(std::span<const float> padded, std::span<double> gradient) const;

 private:
  Dense add_dense(const std::string& name, int in, int out);
  void add_runs(const Dense& dense);
  Branch make_branch(const std::string& name, int dim);
  void whiten(const Branch& branch, const ColumnSet& columns, const std::vector<int>& column_of,
              std::span<const Variation> expected, std::span<float> theta) const;

  NetworkSpec spec_;
  std::size_t parameters_ = 0, gradient_size_ = 0;
  std::vector<TensorInfo> tensors_;
  std::vector<Run> runs_;
  Branch state_, belief_;
  std::size_t join_bias_ = 0, join_bias_grad_ = 0;
  Dense middle_, head_;
  std::size_t log_std_ = 0;
};

}  // namespace bpo
