// Trust Region Policy Optimization (Schulman et al. 2015), as in rllab: the direction F^-1 g by
// conjugate gradients, the longest step with 1/2 d'Fd <= kl, and a backtracking line search that
// accepts what improves the surrogate within the KL bound; otherwise theta stays.
#include <cmath>

#include "bpo/optimizers/conjugate_gradient.h"
#include "bpo/optimizers/model.h"
#include "bpo/optimizers/optimizer.h"
#include "bpo/optimizers/samples.h"

namespace bpo {
namespace {

class Trpo final : public Optimizer {
 public:
  Trpo(const Model& model, const OptimizerOptions& options, ThreadPool& pool)
      : options_(options), objective_(model.make_objective(pool)), gradient_(model.parameters()) {}

  UpdateStats update(std::vector<float>& theta, const RatedBatch& batch,
                     const UpdateContext& context) override {
    const double kl = options_.kl_at(context.progress);
    const PolicyObjective::Value before = objective_->bind(batch, theta);
    objective_->gradient(0.0, gradient_);
    UpdateStats stats{.surrogate = before.surrogate, .entropy = before.entropy};

    PolicyObjective* curved = objective_.get();
    if (options_.cg_subsample < 1.0) {
      auto units = permutation(objective_->units(), context.seed, context.iteration);
      units.resize(std::max<std::size_t>(1, std::llround(options_.cg_subsample * units.size())));
      curved = &objective_->part(units, theta);
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
      const PolicyObjective::Value value = objective_->evaluate(candidate);
      if (value.surrogate > before.surrogate && value.kl <= kl) {
        theta.swap(candidate);
        return {value.surrogate, value.kl, value.entropy, true};
      }
    }
    return stats;
  }

 private:
  OptimizerOptions options_;
  std::unique_ptr<PolicyObjective> objective_;
  std::vector<double> gradient_;
};

}  // namespace

std::unique_ptr<Optimizer> make_trpo(const Model& model, const OptimizerOptions& options,
                                     ThreadPool& pool) {
  return std::make_unique<Trpo>(model, options, pool);
}

}  // namespace bpo
