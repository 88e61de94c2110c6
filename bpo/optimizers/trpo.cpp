// Trust Region Policy Optimization (Schulman et al. 2015), as in rllab: the direction F^-1 g by
// conjugate gradients, the longest step with 1/2 d'Fd <= kl, and a backtracking line search that
// accepts what improves the surrogate within the KL bound; otherwise theta stays.
#include <cmath>

#include "bpo/optimizers/conjugate_gradient.h"
#include "bpo/optimizers/objective.h"
#include "bpo/optimizers/optimizer.h"

namespace bpo {
namespace {

class Trpo final : public Optimizer {
 public:
  Trpo(const Network& network, const OptimizerOptions& options, ThreadPool& pool)
      : options_(options),
        objective_(network, pool),
        sub_objective_(network, pool),
        sub_inputs_(network.spec().state_dim, network.spec().belief_dim),
        gradient_(network.parameters()) {}

  UpdateStats update(std::vector<float>& theta, const Samples& samples,
                     const UpdateContext& context) override {
    const double kl = options_.kl_at(context.progress);
    const PolicyObjective::Value before = objective_.bind(samples, theta);
    objective_.gradient(0.0, gradient_);
    UpdateStats stats{.surrogate = before.surrogate, .entropy = before.entropy};

    PolicyObjective* curved = &objective_;
    Samples part;
    if (options_.cg_subsample < 1.0) {
      auto columns = permutation(samples.inputs->size(), context.seed, context.iteration);
      columns.resize(
          std::max<std::size_t>(1, std::llround(options_.cg_subsample * columns.size())));
      part = subset(samples, columns, sub_inputs_);
      sub_objective_.bind(part, theta);
      curved = &sub_objective_;
    }
    const Product product = [&](std::span<const double> v, std::span<double> out) {
      curved->fisher(v, out);
      for (std::size_t i = 0; i < v.size(); ++i) out[i] += options_.damping * v[i];
    };
    const auto [direction, quadratic] = conjugate_gradient(
        product, gradient_, static_cast<int>(options_.cg_iterations), options_.cg_tolerance);
    const double longest = std::sqrt(2.0 * kl / (quadratic + 1e-8));
    if (!std::isfinite(longest) || !(quadratic > 0.0)) return stats;

    double scale = longest;
    std::vector<float> candidate(theta.size());
    for (int k = 0; k < options_.max_backtracks; ++k, scale *= options_.backtrack) {
      for (std::size_t i = 0; i < theta.size(); ++i) {
        candidate[i] = static_cast<float>(theta[i] + scale * direction[i]);
      }
      const PolicyObjective::Value value = objective_.evaluate(candidate);
      if (value.surrogate > before.surrogate && value.kl <= kl) {
        theta.swap(candidate);
        return {value.surrogate, value.kl, value.entropy, true};
      }
    }
    return stats;
  }

 private:
  OptimizerOptions options_;
  PolicyObjective objective_, sub_objective_;
  Inputs sub_inputs_;
  std::vector<double> gradient_;
};

}  // namespace

std::unique_ptr<Optimizer> make_trpo(const Network& network, const OptimizerOptions& options,
                                     ThreadPool& pool) {
  return std::make_unique<Trpo>(network, options, pool);
}

}  // namespace bpo
