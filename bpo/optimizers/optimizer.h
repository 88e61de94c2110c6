// BatchPolicyOptimization of Algorithm 1: theta and a batch in, a better theta out.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bpo/core/config.h"
#include "bpo/core/parallel.h"

namespace bpo {

class Model;
struct RatedBatch;

struct UpdateStats {
  double surrogate = 0.0, kl = 0.0, entropy = 0.0;
  bool accepted = false;  // false: theta is as it was
};

/// Named vectors of numbers: what a part needs to go on after a restart.
using SavedNumbers = std::map<std::string, std::vector<double>>;

/// Where in the run an update stands: it keys random numbers and schedules.
struct UpdateContext {
  std::uint64_t seed = 0;
  std::int64_t iteration = 0;
  double progress = 0.0;  // from 0 to 1
};

class Optimizer {
 public:
  virtual ~Optimizer() = default;
  virtual UpdateStats update(std::vector<float>& theta, const RatedBatch& batch,
                             const UpdateContext& context) = 0;
  virtual void save(SavedNumbers&) const {}
  virtual void load(const SavedNumbers&) {}
};

/// The options of the update that every optimiser shares, and each one's own (optimizer.*).
struct OptimizerOptions {
  std::string kind = "trpo";
  std::int64_t batch_steps = 10000;
  double discount = 1.0;
  double lambda = 0.96, value_lambda = 1.0;
  // TRPO: rllab's settings, which the paper used.
  double kl = 0.01, kl_end = 0.01;
  std::int64_t cg_iterations = 10;
  double cg_tolerance = 1e-10;
  double damping = 1e-5;
  double backtrack = 0.8;
  std::int64_t max_backtracks = 15;
  double cg_subsample = 1.0;
  // PPO
  double clip = 0.2;
  double learning_rate = 1e-3;
  std::int64_t epochs = 10;
  std::int64_t minibatches = 4;

  void visit(OptionVisitor& v);
  /// The trust region at this point of the run: from kl to kl_end, geometrically.
  double kl_at(double progress) const;
};

std::unique_ptr<Optimizer> make_trpo(const Model& model, const OptimizerOptions& options,
                                     ThreadPool& pool);
std::unique_ptr<Optimizer> make_ppo(const Model& model, const OptimizerOptions& options,
                                    ThreadPool& pool);
std::unique_ptr<Optimizer> make_optimizer(const Model& model, const OptimizerOptions& options,
                                          ThreadPool& pool);

}  // namespace bpo
