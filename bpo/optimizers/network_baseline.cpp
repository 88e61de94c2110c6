// The network baseline. Returns are standardised; when their scale moves, the head is rescaled so
// that predictions stay (van Hasselt et al. 2016). A fit takes a Gauss-Newton step
//   d = -(J'WJ + damping)^-1 J'W(v - y),  W = the inputs' shares of the steps,
// no longer than the trust region allows in mean squared change of the predictions.
#include "bpo/optimizers/network_baseline.h"

#include <algorithm>
#include <cmath>

#include "bpo/core/rng.h"
#include "bpo/nn/pass.h"
#include "bpo/optimizers/conjugate_gradient.h"
#include "bpo/optimizers/samples.h"

namespace bpo {
namespace {

using kernels::kColumns;

// A fit looks at no more inputs than this, drawn anew each time: it starts from the last one's
// solution, and more of them cost more than they tell.
constexpr int kMostFitted = 1 << 14;
constexpr int kCgIterations = 10;
constexpr double kTrustRegion = 0.1;
constexpr std::uint64_t kSeedPurpose = 0x5A1;

NetworkSpec value_spec(const NetworkSpec& policy, int latent_dim) {
  NetworkSpec spec = policy;
  spec.state_dim = policy.state_dim + latent_dim + 1;
  // How far the belief is off is a matter of latent and belief together.
  spec.encoders = policy.encoders && latent_dim == 0;
  spec.outputs = 1;
  spec.gaussian = spec.own_spread = false;
  return spec;
}

class NetworkBaseline final : public Baseline {
 public:
  NetworkBaseline(const NetworkSpec& policy, const BaselineOptions& options, ThreadPool& pool)
      : network_(value_spec(policy, options.latent_dim)),
        options_(options),
        seed_(derive_seed(options.seed, kSeedPurpose)),
        pass_(network_, pool),
        fitted_(network_, pool),
        curved_(network_, pool),
        theta_(network_.initialize(seed_, {.hidden = options.init_hidden, .head = 0.1f})),
        inputs_(network_.spec().state_dim, 0) {}

  /// Distinct (state, latent, time) with the policy's own distinct beliefs.
  void bind(const Batch& batch) override {
    inputs_.clear();
    column_.resize(batch.steps());
    std::vector<float> x(inputs_.states.dim());
    for (int e = 0; e < batch.episodes(); ++e) {
      for (int i = batch.start[e]; i < batch.start[e + 1]; ++i) {
        const int c = batch.column[i];
        const float* o = batch.inputs.states[batch.inputs.state_of[c]];
        const float* phi = batch.latent.data() + static_cast<std::size_t>(i) * options_.latent_dim;
        const auto rest = std::copy_n(o, batch.inputs.states.dim(), x.begin());
        std::copy_n(phi, options_.latent_dim, rest);
        x.back() = static_cast<float>(i - batch.start[e]) / static_cast<float>(options_.horizon);
        column_[i] = inputs_.pair(inputs_.states.add(x.data()), batch.inputs.belief_of[c]);
      }
    }
    beliefs_ = &batch.inputs.beliefs;
    pass_.bind(view());
  }

  std::vector<double> predict() override {
    std::vector<double> out(column_.size(), 0.0);
    if (scale_ == 0.0) return out;
    pass_.forward(theta_, false);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = mean_ + scale_ * value(pass_, column_[i]);
    return out;
  }

  void fit(const std::vector<double>& targets) override {
    if (options_.whiten && fits_ == 0.0) network_.whiten(view(), theta_);
    const auto fit = static_cast<std::uint64_t>(fits_);
    fits_ += 1.0;
    if (!rescale(targets)) return;
    const int n = inputs_.size();
    std::vector<double> count(n, 0.0), sum(n, 0.0);
    for (std::size_t i = 0; i < targets.size(); ++i) {
      count[column_[i]] += 1.0;
      sum[column_[i]] += (targets[i] - mean_) / scale_;
    }
    const auto steps = static_cast<std::uint64_t>(options_.steps);
    for (std::uint64_t k = 0; k < steps; ++k) {
      choose(count, sum, fit * steps + k);
      gauss_newton_step();
    }
  }

  void save(SavedNumbers& state) const override {
    state["baseline.theta"] = {theta_.begin(), theta_.end()};
    state["baseline.scale"] = {mean_, scale_, fits_};
  }
  void load(const SavedNumbers& state) override {
    const auto& theta = state.at("baseline.theta");
    theta_.assign(theta.begin(), theta.end());
    mean_ = state.at("baseline.scale").at(0);
    scale_ = state.at("baseline.scale").at(1);
    fits_ = state.at("baseline.scale").at(2);
  }

 private:
  /// Some of the batch's inputs and their shares of the steps.
  struct Part {
    Part(const Network& network, ThreadPool& pool)
        : pass(network, pool), inputs(network.spec().state_dim, network.spec().belief_dim) {}
    void bind(const InputView& all, const std::vector<int>& chosen,
              const std::vector<double>& count) {
      inputs.select(all, chosen);
      pass.bind(inputs);
      double total = 0.0;
      for (int c : chosen) total += count[c];
      weight.clear();
      for (int c : chosen) weight.push_back(static_cast<float>(count[c] / total));
    }
    NetworkPass pass;
    Inputs inputs;
    std::vector<float> weight;
  };

  static float value(const NetworkPass& pass, int column) {
    return pass.output(column / kColumns)[column % kColumns];
  }
  InputView view() const {
    return {inputs_.states, *beliefs_, inputs_.state_of, inputs_.belief_of};
  }

  /// False, and nothing changed, if the targets are not finite.
  bool rescale(const std::vector<double>& targets) {
    double sum = 0.0, squares = 0.0;
    for (double y : targets) sum += y;
    const double mean = sum / static_cast<double>(targets.size());
    for (double y : targets) squares += (y - mean) * (y - mean);
    const double scale = std::sqrt(squares / static_cast<double>(targets.size())) + 1e-6;
    if (!std::isfinite(scale)) return false;
    if (scale_ > 0.0) {
      const Dense& head = network_.head();
      for (int i = 0; i < head.in; ++i)
        theta_[head.weight + i] *= static_cast<float>(scale_ / scale);
      theta_[head.bias] = static_cast<float>((scale_ * theta_[head.bias] + mean_ - mean) / scale);
    }
    mean_ = mean;
    scale_ = scale;
    return true;
  }

  /// The inputs and targets of one step of a fit, from how often each input was seen and the sum of
  /// its targets.
  void choose(const std::vector<double>& count, const std::vector<double>& sum,
              std::uint64_t draw) {
    const int n = inputs_.size();
    auto chosen = permutation(n, seed_, draw);
    chosen.resize(std::min(n, kMostFitted));
    fitted_.bind(view(), chosen, count);
    target_.clear();
    for (int c : chosen) target_.push_back(static_cast<float>(sum[c] / count[c]));
    if (options_.subsample == 1.0) return;
    chosen.resize(std::max<std::size_t>(1, std::llround(options_.subsample * chosen.size())));
    curved_.bind(view(), chosen, count);
  }

  double loss() {
    double sum = 0.0;
    for (int c = 0; c < fitted_.pass.columns(); ++c) {
      const double gap = value(fitted_.pass, c) - target_[c];
      sum += 0.5 * fitted_.weight[c] * gap * gap;
    }
    return sum;
  }

  void gauss_newton_step() {
    NetworkPass& pass = fitted_.pass;
    pass.forward(theta_);
    const double before = loss();
    std::vector<double> descent(theta_.size(), 0.0);
    pass.backward(
        theta_,
        [&](int block, float* d) {
          for (int j = 0; j < kColumns; ++j) {
            const int c = block * kColumns + j;
            d[j] = j < pass.columns_in(block) ? fitted_.weight[c] * (target_[c] - value(pass, c))
                                              : 0.0f;
          }
        },
        descent);
    Part& curved = options_.subsample < 1.0 ? curved_ : fitted_;
    if (&curved != &fitted_) curved.pass.forward(theta_);
    std::vector<float> v(theta_.size());
    const Product product = [&](std::span<const double> p, std::span<double> out) {
      std::copy(p.begin(), p.end(), v.begin());
      for (std::size_t i = 0; i < p.size(); ++i) out[i] = options_.damping * p[i];
      curved.pass.curvature(
          theta_, v,
          [&](int block, float* t) {
            for (int j = 0; j < kColumns; ++j) {
              t[j] *=
                  j < curved.pass.columns_in(block) ? curved.weight[block * kColumns + j] : 0.0f;
            }
          },
          out);
    };
    const auto [direction, quadratic] = conjugate_gradient(product, descent, kCgIterations, 1e-12);
    if (!(quadratic > 0.0) || !std::isfinite(quadratic)) return;
    // Far off, as when returns have shrunk, it may go as far as it is wrong.
    double scale = std::min(1.0, std::sqrt(kTrustRegion * std::max(1.0, 2.0 * before) / quadratic));
    const std::vector<float> old = theta_;
    for (int tries = 0; tries < 8; ++tries, scale *= 0.5) {
      for (std::size_t i = 0; i < old.size(); ++i) {
        theta_[i] = static_cast<float>(old[i] + scale * direction[i]);
      }
      pass.forward(theta_, false);
      if (loss() < before) return;
    }
    theta_ = old;
  }

  Network network_;
  BaselineOptions options_;
  std::uint64_t seed_;
  NetworkPass pass_;
  Part fitted_, curved_;
  std::vector<float> theta_;
  Inputs inputs_;                       // (state, latent, time) pairs with beliefs_
  const ColumnSet* beliefs_ = nullptr;  // the batch's own
  std::vector<int> column_;
  std::vector<float> target_;
  double mean_ = 0.0, scale_ = 0.0, fits_ = 0.0;
};

}  // namespace

std::unique_ptr<Baseline> make_network_baseline(const NetworkSpec& policy,
                                                const BaselineOptions& options, ThreadPool& pool) {
  return std::make_unique<NetworkBaseline>(policy, options, pool);
}

}  // namespace bpo
