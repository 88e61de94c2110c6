#include "bpo/optimizers/optimizer.h"

#include <cmath>

namespace bpo {

void OptimizerOptions::visit(OptionVisitor& v) {
  v.choice("kind", kind, {"trpo", "ppo"}, "the batch policy optimisation of Algorithm 1");
  v.integer("batch_steps", batch_steps, {1, 1e8}, "steps per iteration (whole episodes)");
  v.number("discount", discount, {0.0, 1.0}, "discount factor gamma of the advantages");
  v.number("lambda", lambda, {0.0, 1.0}, "lambda of generalised advantage estimation");
  v.number("value_lambda", value_lambda, {0.0, 1.0},
           "lambda of the returns the value function learns; 1: no bootstrapping");
  v.number("kl", kl, {1e-8, 10.0}, "trust region: the mean KL of a step (PPO: stops an epoch)");
  v.number("kl_end", kl_end, {1e-8, 10.0},
           "the trust region at the end of the training; it starts at kl");
  v.integer("cg_iterations", cg_iterations, {1, 1000},
            "TRPO: conjugate-gradient iterations of a step, at most");
  v.number("cg_tolerance", cg_tolerance, {0.0, 1.0},
           "TRPO: squared residual at which conjugate gradients stop");
  v.number("damping", damping, {0.0, 10.0}, "TRPO: added to the Fisher matrix's diagonal");
  v.number("backtrack", backtrack, {0.01, 0.99},
           "TRPO: factor by which the line search shortens a step");
  v.integer("max_backtracks", max_backtracks, {1, 100},
            "TRPO: steps that the line search tries, at most");
  v.number("cg_subsample", cg_subsample, {0.01, 1.0},
           "TRPO: share of a batch's inputs that Fisher products are computed on");
  v.number("clip", clip, {0.01, 10.0}, "PPO: clipping of the probability ratio");
  v.number("learning_rate", learning_rate, {1e-8, 1.0}, "PPO: the learning rate of Adam");
  v.integer("epochs", epochs, {1, 1000}, "PPO: passes over the batch");
  v.integer("minibatches", minibatches, {1, 10000}, "PPO: parts that a batch is split into");
}

double OptimizerOptions::kl_at(double progress) const {
  return kl * std::pow(kl_end / kl, progress);
}

std::unique_ptr<Optimizer> make_optimizer(const Model& model, const OptimizerOptions& options,
                                          ThreadPool& pool) {
  return options.kind == "ppo" ? make_ppo(model, options, pool) : make_trpo(model, options, pool);
}

}  // namespace bpo
