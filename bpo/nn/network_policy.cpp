#include "bpo/nn/network_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>

#include "bpo/core/error.h"
#include "bpo/nn/heads.h"
#include "bpo/nn/network_text.h"
#include "bpo/nn/safetensors.h"

namespace bpo {

using kernels::kColumns;

namespace {

constexpr int kMostRemembered = 1 << 16;
constexpr int kMostBelief = 5000;         // numbers that a network takes in
constexpr float kLeastVariance = 1e-30f;  // keeps a logarithm finite

int belief_input_dim(const ProblemSpec& problem, Sees sees) {
  switch (sees) {
    case Sees::kBelief:
      return problem.belief_dim;
    case Sees::kEstimate:
      return problem.estimate_dim;
    case Sees::kLatent:
      return problem.latent_dim;
    case Sees::kNothing:
      return 0;
  }
  return 0;
}

const float* belief_input(const PolicyInputs& in, Sees sees, int lane) {
  switch (sees) {
    case Sees::kBelief:
      return in.belief[lane].data();
    case Sees::kEstimate:
      return in.estimate[lane].data();
    case Sees::kLatent:
      return in.latent[lane].data();
    case Sees::kNothing:
      return nullptr;
  }
  return nullptr;
}

/// Calls f(side, digit of a, digit of b) for every factor, the fastest first.
template <class F>
void for_each_factor(std::span<const int> sides, int a, int b, F f) {
  for (auto side = sides.rbegin(); side != sides.rend(); a /= *side, b /= *side, ++side) {
    f(*side, a % *side, b % *side);
  }
}

std::vector<int> sides_of(const BeliefGrid& grid) {
  std::vector<int> out;
  for (const auto& axis : grid.axes) out.push_back(static_cast<int>(axis.size()));
  return out;
}

/// At first all beliefs are the prior: the first batch knows nothing of how far means will wander
/// and spreads will shrink.
std::vector<Variation> variation_of(const BeliefMoments& moments) {
  std::vector<Variation> out(static_cast<std::size_t>(moments.size()));
  const auto k = static_cast<std::size_t>(moments.factors());
  for (std::size_t f = 0; f < k; ++f) {
    const auto mean = static_cast<float>(moments.prior[f].mean),
               sd = static_cast<float>(moments.prior[f].sd);
    out[f] = {mean, sd};
    out[k + f] = {0.5f * sd, 0.3f * sd};
  }
  for (std::size_t i = 2 * k; i < 2 * k + k * (k - 1) / 2; ++i) out[i] = {0.0f, 0.5f};
  return out;
}

}  // namespace

std::vector<float> cosine_basis(std::span<const int> sides, int cells) {
  if (std::accumulate(sides.begin(), sides.end(), 1LL, std::multiplies<>()) != cells) {
    throw bad_input(fmt::format("a joint belief of {} cells is not a grid of {}", cells,
                                fmt::join(sides, "x")));
  }
  std::vector<float> basis(static_cast<std::size_t>(cells) * cells);
  for (int k = 1; k < cells; ++k) {
    int squares = 0;
    for_each_factor(sides, k, 0,
                    [&](int, int frequency, int) { squares += frequency * frequency; });
    for (int cell = 0; cell < cells; ++cell) {
      double product = 1.0 / squares;
      for_each_factor(sides, k, cell, [&](int side, int frequency, int i) {
        if (frequency == 0) return;
        product *= std::numbers::sqrt2 * std::cos(std::numbers::pi * frequency * (i + 0.5) / side);
      });
      basis[static_cast<std::size_t>(k) * cells + cell] = static_cast<float>(product);
    }
  }
  return basis;
}

NetworkSpec network_spec(const ProblemSpec& problem, Sees sees, bool encoders, int hidden,
                         bool scale_belief, bool own_spread) {
  const int belief_dim = belief_input_dim(problem, sees);
  if (belief_dim > kMostBelief) {
    throw bad_input(fmt::format(
        "{}: a belief over {} hidden states is too long for a network, which takes at most {}; a "
        "POMDPX file can say what is seen (fullyObs) and need not be believed, dr and epopt see no "
        "belief, and `bpo solve` plans",
        problem.name, belief_dim, kMostBelief));
  }
  const bool conditioned = sees == Sees::kBelief && scale_belief;
  const bool logarithm = conditioned && !problem.state_observed && problem.variance_at >= 0;
  // Beliefs, estimates and latents all begin with the point itself.
  const bool led =
      scale_belief && !problem.state_observed && problem.goal_at >= 0 && belief_dim > 0;
  const bool wide = own_spread && !problem.actions.discrete();
  const bool joint = conditioned && problem.state_observed && problem.grid && problem.grid->joint;
  return {.state_dim = problem.state_observed ? problem.obs_dim : 0,
          .belief_dim = problem.state_observed ? belief_dim : problem.obs_dim + belief_dim,
          .belief_scale = conditioned && !joint ? static_cast<float>(problem.belief_scale) : 1.0f,
          .belief_basis = joint ? cosine_basis(sides_of(*problem.grid), problem.belief_dim)
                                : std::vector<float>{},
          .belief_variation = conditioned && problem.moments ? variation_of(*problem.moments)
                                                             : std::vector<Variation>{},
          .log_at = logarithm ? problem.obs_dim + problem.variance_at : -1,
          .goal_at = led ? problem.goal_at : -1,
          .led = led ? problem.latent_dim : 0,
          .outputs = (wide ? 2 : 1) * problem.actions.size(),
          .hidden = hidden,
          .encoders = encoders,
          .gaussian = !problem.actions.discrete(),
          .own_spread = wide};
}

void NetworkPolicy::save(TensorFile& file) const {
  save_tensors(network_->tensors(), theta_, file);
  file.metadata["network"] = network_text(network_->spec(), sees_);
}

std::unique_ptr<Actor> NetworkPolicy::make_actor() const {
  return std::make_unique<NetworkActor>(*network_, theta_, sees_, greedy_);
}

void NetworkPolicy::compute(const PolicyInputs& in, std::span<float> out) const {
  const int actions = network_->spec().outputs;
  NetworkActor actor(*network_, theta_, sees_, greedy_);
  std::array<int, kLanes> column{};
  for (int lane = 0; lane < in.episodes.count; ++lane) {
    column[lane] = actor.see(in.obs[lane], belief_input(in, sees_, lane));
  }
  actor.compute();
  for (int lane = 0; lane < in.episodes.count; ++lane) {
    const auto p = actor.distribution(column[lane]);
    float* to = out.data() + lane * actions;
    std::copy(p.begin(), p.end(), to);
    if (!greedy_) continue;
    std::fill_n(to, actions, 0.0f);
    to[most_probable(p)] = 1.0f;
  }
}

NetworkActor::NetworkActor(const Network& network, std::span<const float> theta, Sees sees,
                           bool greedy, bool keep_inputs)
    : RecordingActor(network.spec().state_dim, network.spec().belief_dim),
      network_(network),
      theta_(theta),
      sees_(sees),
      greedy_(greedy),
      keep_inputs_(keep_inputs),
      joined_(network.spec().belief_dim) {
  const NetworkSpec& spec = network.spec();
  x_.resize(static_cast<std::size_t>(std::max(spec.state_dim, spec.belief_dim)) * kColumns);
  for (Block* b : {&h_[0], &h_[1], &z_, &h1_, &h2_}) {
    b->resize(static_cast<std::size_t>(spec.hidden) * kColumns);
  }
  out_.resize(static_cast<std::size_t>(spec.outputs) * kColumns);
  set_theta(theta);
}

void NetworkActor::begin(const PolicyInputs&) {
  if (!keep_inputs_ && inputs_.size() > kMostRemembered) set_theta(theta_);
}

void NetworkActor::forget() {
  inputs_.clear();
  states_done_ = beliefs_done_ = pairs_done_ = 0;
}

void NetworkActor::set_theta(std::span<const float> theta) {
  theta_ = theta;
  forget();
  state_join_t_ = transposed_join(network_.state(), theta_.data());
  belief_join_t_ = transposed_join(network_.belief(), theta_.data());
}

std::span<const float> NetworkActor::distribution(int column) const {
  const std::size_t n = network_.spec().outputs;
  return {distribution_.data() + column * n, n};
}

void NetworkActor::act(const PolicyInputs& in, Actions& actions) {
  const int lanes = in.episodes.count;
  for (int lane = 0; lane < lanes; ++lane) {
    if (in.done[lane]) continue;
    column_[lane] = see(in.obs[lane], belief_input(in, sees_, lane));
  }
  compute();
  for (int lane = 0; lane < lanes; ++lane) {
    if (in.done[lane]) continue;
    const auto d = distribution(column_[lane]);
    Rng rng(in.episodes.seed, Use::kAction, in.episodes.first + lane,
            static_cast<std::uint32_t>(in.time));
    if (!network_.spec().gaussian) {
      actions.index[lane] = greedy_ ? most_probable(d) : sample_index(d, rng);
      continue;
    }
    const int n = network_.spec().action_size();
    const float* log_std =
        network_.spec().own_spread ? d.data() + n : theta_.data() + network_.log_std();
    for (int i = 0; i < n; ++i) {
      const double noise = greedy_ ? 0.0 : std::exp(double{log_std[i]}) * rng.normal();
      actions.box[lane][i] = static_cast<float>(d[i] + noise);
    }
  }
}

int NetworkActor::see(std::span<const float> o, const float* b) {
  const std::vector<float>& basis = network_.spec().belief_basis;
  if (!basis.empty()) {
    const std::size_t cells = joined_.size();
    for (std::size_t k = 0; k < cells; ++k) {
      joined_[k] = std::inner_product(b, b + cells, basis.data() + k * cells, 0.0f);
    }
    return inputs_.add(o.data(), joined_.data());
  }
  if (network_.spec().state_dim > 0) return inputs_.add(o.data(), b);
  std::copy(o.begin(), o.end(), joined_.begin());
  std::copy_n(b, joined_.size() - o.size(), joined_.begin() + o.size());
  const NetworkSpec& spec = network_.spec();
  for (int i = 0; i < spec.led; ++i) joined_[o.size() + i] -= o[spec.goal_at + i];
  if (const int at = spec.log_at; at >= 0) {
    joined_[at] = std::log(std::max(joined_[at], kLeastVariance));
  }
  return inputs_.add(nullptr, joined_.data());
}

void NetworkActor::project(const Branch& branch, const std::vector<float>& join_t,
                           const ColumnSet& columns, std::vector<float>& projected, int& done) {
  if (branch.dim == 0) return;
  const std::size_t hidden = branch.join.out;
  projected.resize(std::max(projected.size(), (columns.size() + kColumns) * hidden));
  while (done < columns.size()) {
    const int count = std::min(kColumns, columns.size() - done), n = padded_columns(count);
    for (int k = 0; k < branch.dim; ++k) std::fill_n(x_.data() + k * kColumns + n - 8, 8, 0.0f);
    kernels::transpose(count, branch.dim, columns[done], branch.dim, x_.data(), kColumns);
    if (branch.scale != 1.0f) kernels::scale_rows(branch.dim, n, branch.scale, x_.data());
    float* h[2] = {h_[0].data(), h_[1].data()};
    branch_forward(branch, theta_.data(), join_t.data(), n, x_.data(), h,
                   projected.data() + done * hidden);
    done += count;
  }
}

void NetworkActor::compute() {
  project(network_.state(), state_join_t_, inputs_.states, p_state_, states_done_);
  project(network_.belief(), belief_join_t_, inputs_.beliefs, p_belief_, beliefs_done_);
  const NetworkSpec& spec = network_.spec();
  distribution_.resize(
      std::max(distribution_.size(), static_cast<std::size_t>(inputs_.size()) * spec.outputs));
  while (pairs_done_ < inputs_.size()) {
    const int count = std::min(kColumns, inputs_.size() - pairs_done_), n = padded_columns(count);
    std::fill(z_.begin() + (n - 8) * spec.hidden, z_.begin() + n * spec.hidden, 0.0f);
    gather(spec.hidden, count, spec.state_dim ? p_state_.data() : nullptr,
           inputs_.state_of.data() + pairs_done_, spec.belief_dim ? p_belief_.data() : nullptr,
           inputs_.belief_of.data() + pairs_done_, z_.data());
    trunk_forward(network_, theta_.data(), n, z_.data(), h1_.data(), h2_.data(), out_.data());
    if (!spec.gaussian) softmax(spec.outputs, n, out_.data());
    kernels::transpose(spec.outputs, count, out_.data(), kColumns,
                       distribution_.data() + static_cast<std::size_t>(pairs_done_) * spec.outputs,
                       spec.outputs);
    pairs_done_ += count;
  }
}

}  // namespace bpo
