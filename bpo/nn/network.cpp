#include "bpo/nn/network.h"

#include <cmath>

#include "bpo/core/rng.h"
#include "bpo/core/simd.h"

namespace bpo {
namespace {

constexpr double kConstantInput = 1e-6;  // what varies less is left as it is

void unpack_dense(const Dense& d, std::span<const float> padded, std::span<double> gradient) {
  for (int r = 0; r < d.out; ++r) {
    const float* from = padded.data() + d.grad + static_cast<std::size_t>(r) * d.grad_stride;
    double* to = gradient.data() + d.weight + static_cast<std::size_t>(r) * d.stride;
    for (int c = 0; c < d.in; ++c) to[c] += from[c];
  }
  if (!d.has_bias) return;
  for (int r = 0; r < d.out; ++r) gradient[d.bias + r] += padded[d.grad_bias + r];
}

}  // namespace

Network::Network(const NetworkSpec& spec) : spec_(spec) {
  state_ = make_branch("state_encoder", spec.state_dim);
  belief_ = make_branch("belief_encoder", spec.belief_dim);
  belief_.scale = spec.belief_scale;

  // The joining layer is one matrix in the file and two pieces here.
  const int joined = state_.width() + belief_.width();
  const Dense join = add_dense("policy.0", joined, spec.hidden);
  join_bias_ = join.bias;
  std::size_t column = join.weight;
  gradient_size_ = join.grad;
  for (Branch* branch : {&state_, &belief_}) {
    const int width = branch->width();
    branch->join = {.in = width,
                    .out = spec.hidden,
                    .weight = column,
                    .stride = joined,
                    .has_bias = false,
                    .grad = gradient_size_,
                    .grad_stride = simd::round_up(width)};
    column += width;
    gradient_size_ += static_cast<std::size_t>(branch->join.grad_stride) * spec.hidden;
  }
  join_bias_grad_ = gradient_size_;
  gradient_size_ += spec.hidden;

  middle_ = add_dense("policy.1", spec.hidden, spec.hidden);
  head_ = add_dense("head", spec.hidden, spec.outputs);
  log_std_ = spec.own_spread ? head_.bias + spec.action_size() : parameters_;
  if (spec.gaussian && !spec.own_spread) {
    tensors_.push_back({"log_std", {spec.outputs}, parameters_});
    parameters_ += spec.outputs;
  }
  for (const Branch* branch : {&state_, &belief_}) {
    for (const Dense& dense : branch->layers) add_runs(dense);
    add_runs(branch->join);
  }
  runs_.push_back({join_bias_grad_, join_bias_, spec.hidden});
  add_runs(middle_);
  add_runs(head_);
}

void Network::add_runs(const Dense& d) {
  for (int r = 0; r < d.out; ++r) {
    const auto row = static_cast<std::size_t>(r);
    runs_.push_back({d.grad + row * d.grad_stride, d.weight + row * d.stride, d.in});
  }
  if (d.has_bias) runs_.push_back({d.grad_bias, d.bias, d.out});
}

Dense Network::add_dense(const std::string& name, int in, int out) {
  Dense d{.in = in, .out = out, .weight = parameters_, .stride = in};
  tensors_.push_back({name + ".weight", {out, in}, d.weight});
  d.bias = d.weight + static_cast<std::size_t>(in) * out;
  tensors_.push_back({name + ".bias", {out}, d.bias});
  parameters_ = d.bias + out;
  d.grad = gradient_size_;
  d.grad_stride = simd::round_up(in);
  d.grad_bias = d.grad + static_cast<std::size_t>(d.grad_stride) * out;
  gradient_size_ = d.grad_bias + out;
  return d;
}

Branch Network::make_branch(const std::string& name, int dim) {
  Branch branch;
  branch.dim = dim;
  if (!spec_.encoders || dim == 0) return branch;
  branch.layers.push_back(add_dense(name + ".0", dim, spec_.hidden));
  branch.layers.push_back(add_dense(name + ".1", spec_.hidden, spec_.hidden));
  return branch;
}

std::vector<float> Network::initialize(std::uint64_t seed, const InitialScale& scale) const {
  std::vector<float> theta(parameters_, 0.0f);
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    const TensorInfo& tensor = tensors_[i];
    if (tensor.shape.size() != 2) continue;
    Rng rng(seed, Use::kInit, i);
    double bound = std::sqrt(6.0 / static_cast<double>(tensor.shape[0] + tensor.shape[1]));
    bound *= tensor.name == "head.weight" ? scale.head : scale.hidden;
    for (std::size_t k = 0; k < tensor.size(); ++k) {
      theta[tensor.offset + k] = static_cast<float>(bound * (2.0 * rng.uniform() - 1.0));
    }
  }
  return theta;
}

void Network::whiten(const InputView& inputs, std::span<float> theta) const {
  whiten(state_, inputs.states, inputs.state_of, {}, theta);
  if (!spec_.belief_basis.empty()) return;
  whiten(belief_, inputs.beliefs, inputs.belief_of, spec_.belief_variation, theta);
}

void Network::whiten(const Branch& branch, const ColumnSet& columns,
                     const std::vector<int>& column_of, std::span<const Variation> expected,
                     std::span<float> theta) const {
  const Dense& first = branch.layers.empty() ? branch.join : branch.layers.front();
  const std::size_t bias = branch.layers.empty() ? join_bias_ : first.bias;
  const auto n = static_cast<double>(column_of.size());
  for (int k = 0; k < branch.dim; ++k) {
    double sum = 0.0, squares = 0.0;
    for (int c : column_of) sum += columns[c][k];
    const bool known = !expected.empty() && expected[k].sd > 0.0f;
    const double mean = known ? expected[k].mean : sum / n;
    for (int c : column_of) squares += (columns[c][k] - mean) * (columns[c][k] - mean);
    const double sd = branch.scale * (known ? expected[k].sd : std::sqrt(squares / n));
    if (!(sd > kConstantInput)) continue;
    for (int r = 0; r < first.out; ++r) {
      float& w = theta[first.weight + static_cast<std::size_t>(r) * first.stride + k];
      w = static_cast<float>(w / sd);
      theta[bias + r] -= static_cast<float>(w * branch.scale * mean);
    }
  }
}

void Network::unpack(std::span<const float> padded, std::span<double> gradient) const {
  for (const Branch* branch : {&state_, &belief_}) unpack(*branch, padded, gradient);
  unpack_trunk(padded, gradient);
}

void Network::unpack(const Branch& branch, std::span<const float> padded,
                     std::span<double> gradient) const {
  for (const Dense& d : branch.layers) unpack_dense(d, padded, gradient);
  unpack_dense(branch.join, padded, gradient);
}

void Network::unpack_trunk(std::span<const float> padded, std::span<double> gradient) const {
  unpack_dense(middle_, padded, gradient);
  unpack_dense(head_, padded, gradient);
  for (int r = 0; r < spec_.hidden; ++r) {
    gradient[join_bias_ + r] += padded[join_bias_grad_ + r];
  }
}

}  // namespace bpo
