// Proximal Policy Optimization (Schulman et al. 2017): Adam on the clipped surrogate over random
// parts of the batch; stops early once the mean KL passes 1.5 times its target.
#include <cmath>

#include "bpo/optimizers/adam.h"
#include "bpo/optimizers/model.h"
#include "bpo/optimizers/optimizer.h"
#include "bpo/optimizers/samples.h"

namespace bpo {
namespace {

class Ppo final : public Optimizer {
 public:
  Ppo(const Model& model, const OptimizerOptions& options, ThreadPool& pool)
      : options_(options),
        whole_(model.make_objective(pool)),
        gradient_(model.parameters()),
        adam_(model.parameters(), options.learning_rate) {}

  UpdateStats update(std::vector<float>& theta, const RatedBatch& batch,
                     const UpdateContext& context) override {
    const double kl = options_.kl_at(context.progress);
    const std::vector<float> old = theta;
    const Adam adam_before = adam_;
    const PolicyObjective::Value before = whole_->bind(batch, old);
    PolicyObjective::Value now = before;
    const int units = whole_->units();
    const int parts = static_cast<int>(std::min<std::int64_t>(options_.minibatches, units));
    bool finite = true;
    for (int epoch = 0; epoch < options_.epochs && finite && now.kl <= 1.5 * kl; ++epoch) {
      const auto order =
          permutation(units, context.seed, context.iteration * options_.epochs + epoch);
      for (int k = 0; k < parts && finite; ++k) {
        const std::vector<int> chosen(
            order.begin() + static_cast<std::int64_t>(units) * k / parts,
            order.begin() + static_cast<std::int64_t>(units) * (k + 1) / parts);
        PolicyObjective& part = whole_->part(chosen, old);
        part.move(theta);
        part.gradient(options_.clip, gradient_);
        finite = adam_.step(gradient_, theta);
      }
      if (finite) now = whole_->evaluate(theta);
      finite = finite && std::isfinite(now.surrogate) && std::isfinite(now.kl);
    }
    if (!finite) {
      theta = old;
      adam_ = adam_before;
      return {.surrogate = before.surrogate, .entropy = before.entropy};
    }
    return {now.surrogate, now.kl, now.entropy, true};
  }

  void save(SavedNumbers& state) const override { adam_.save("ppo", state); }
  void load(const SavedNumbers& state) override { adam_.load("ppo", state); }

 private:
  OptimizerOptions options_;
  std::unique_ptr<PolicyObjective> whole_;
  std::vector<double> gradient_;
  Adam adam_;
};

}  // namespace

std::unique_ptr<Optimizer> make_ppo(const Model& model, const OptimizerOptions& options,
                                    ThreadPool& pool) {
  return std::make_unique<Ppo>(model, options, pool);
}

}  // namespace bpo
