// Proximal Policy Optimization (Schulman et al. 2017): Adam on the clipped surrogate over random
// parts of the batch's distinct inputs; stops early once the mean KL passes 1.5 times its target.
#include <cmath>

#include "bpo/optimizers/adam.h"
#include "bpo/optimizers/objective.h"
#include "bpo/optimizers/optimizer.h"

namespace bpo {
namespace {

class Ppo final : public Optimizer {
 public:
  Ppo(const Network& network, const OptimizerOptions& options, ThreadPool& pool)
      : options_(options),
        whole_(network, pool),
        part_(network, pool),
        part_inputs_(network.spec().state_dim, network.spec().belief_dim),
        gradient_(network.parameters()),
        adam_(network.parameters(), options.learning_rate) {}

  UpdateStats update(std::vector<float>& theta, const Samples& samples,
                     const UpdateContext& context) override {
    const double kl = options_.kl_at(context.progress);
    const std::vector<float> old = theta;
    const Adam adam_before = adam_;
    const PolicyObjective::Value before = whole_.bind(samples, old);
    PolicyObjective::Value now = before;
    const int columns = samples.inputs->size();
    const int parts = static_cast<int>(std::min<std::int64_t>(options_.minibatches, columns));
    bool finite = true;
    for (int epoch = 0; epoch < options_.epochs && finite && now.kl <= 1.5 * kl; ++epoch) {
      const auto order =
          permutation(columns, context.seed, context.iteration * options_.epochs + epoch);
      for (int k = 0; k < parts && finite; ++k) {
        const std::vector<int> chosen(
            order.begin() + static_cast<std::int64_t>(columns) * k / parts,
            order.begin() + static_cast<std::int64_t>(columns) * (k + 1) / parts);
        const Samples part = subset(samples, chosen, part_inputs_);
        part_.bind(part, old);
        part_.move(theta);
        part_.gradient(options_.clip, gradient_);
        finite = adam_.step(gradient_, theta);
      }
      if (finite) now = whole_.evaluate(theta);
      finite = finite && std::isfinite(now.surrogate) && std::isfinite(now.kl);
    }
    if (!finite) {
      theta = old;
      adam_ = adam_before;
      return {.surrogate = before.surrogate, .entropy = before.entropy};
    }
    return {now.surrogate, now.kl, now.entropy, true};
  }

  void save(State& state) const override { adam_.save("ppo", state); }
  void load(const State& state) override { adam_.load("ppo", state); }

 private:
  OptimizerOptions options_;
  PolicyObjective whole_, part_;
  Inputs part_inputs_;
  std::vector<double> gradient_;
  Adam adam_;
};

}  // namespace

std::unique_ptr<Optimizer> make_ppo(const Network& network, const OptimizerOptions& options,
                                    ThreadPool& pool) {
  return std::make_unique<Ppo>(network, options, pool);
}

}  // namespace bpo
