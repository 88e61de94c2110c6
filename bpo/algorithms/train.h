// Algorithm 1. BPO and everything it is compared with are this one loop with four choices.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bpo/algorithms/sampler.h"
#include "bpo/core/any_problem.h"
#include "bpo/core/config.h"
#include "bpo/core/log.h"
#include "bpo/nn/network_policy.h"
#include "bpo/optimizers/baseline.h"
#include "bpo/optimizers/network_model.h"
#include "bpo/optimizers/optimizer.h"

namespace bpo {

struct TrainOptions;

/// The four choices that make a method, and what it trains.
struct Method {
  LatentSource latents = LatentSource::kPrior;
  Sees sees = Sees::kBelief;
  bool encoders = true;
  bool worst_share = false;  // EPOpt: keep the trajectories with the lowest returns
  /// Another model than the network of Fig. 1b.
  std::function<std::shared_ptr<const Model>(const ProblemSpec&, const TrainOptions&)> model = {};
};

struct TrainOptions {
  std::int64_t iterations = 500;
  std::int64_t hidden = 32;
  double init_std = 1.0, init_hidden = 1.0, init_head = 1.0;
  bool whiten = false;
  bool scale_belief = true;
  std::string spread = "shared";
  std::string baseline = "network";
  double value_damping = 1e-3, value_subsample = 1.0;
  std::int64_t value_steps = 1;
  std::int64_t validate_every = 10;
  std::int64_t validate_episodes = 1000;
  // EPOpt
  double epsilon = 0.1;
  std::int64_t epsilon_from = 100;

  bool worst_share = false;  // not an option: whether EPOpt's are
  void visit(OptionVisitor& v);
  bool privileged() const { return baseline == "privileged"; }
};

/// What a method trains on a problem.
std::shared_ptr<const Model> make_model(const ProblemSpec& problem, const Method& method,
                                        const TrainOptions& options);

/// Everything that must survive a restart; random numbers have no state.
struct TrainState {
  std::int64_t iteration = 0;
  std::vector<float> theta, best_theta;
  double best_score = 0.0;
  bool has_best = false;
  std::int64_t best_iteration = 0;
  std::int64_t rejected = 0, rejected_in_a_row = 0;
  bool settled = false;  // nothing is left to improve: the policy has become deterministic
  std::int64_t steps = 0, filter_fallbacks = 0, faults = 0;
  SavedNumbers parts;  // optimiser and baseline
};

class Trainer {
 public:
  Trainer(const AnyProblem& problem, const Method& method, const TrainOptions& options,
          const OptimizerOptions& optimizer, std::uint64_t seed, ThreadPool& pool);

  /// One iteration of Algorithm 1; validates when it is due. When ten updates in a row had to be
  /// taken back, a deterministic policy has settled; otherwise throws Error(kDiverged).
  Metrics iterate();

  bool finished() const { return state_.iteration >= options_.iterations || state_.settled; }
  std::int64_t iteration() const { return state_.iteration; }
  TrainState save() const;
  void load(TrainState state);

  /// The best policy seen, by validation; the current one before the first validation.
  std::unique_ptr<Policy> best_policy() const;
  std::unique_ptr<Policy> current_policy() const;
  const Model& model() const { return *model_; }
  const TrainState& state() const { return state_; }

 private:
  std::vector<std::uint8_t> choose(const Batch& batch) const;
  void validate(Metrics& metrics);

  const AnyProblem& problem_;
  Method method_;
  TrainOptions options_;
  OptimizerOptions optimizer_options_;
  std::uint64_t seed_;
  ThreadPool& pool_;
  std::shared_ptr<const Model> model_;
  BatchSampler sampler_;
  std::unique_ptr<Optimizer> optimizer_;
  std::unique_ptr<Baseline> baseline_;
  TrainState state_;
};

/// A method by its name.
struct AlgorithmEntry {
  std::string name, summary;
  Method method;
};

inline Registry<AlgorithmEntry>& algorithms() {
  static Registry<AlgorithmEntry> registry("algorithm");
  return registry;
}

/// Makes a method one of the solvers() (algorithms/training_solver.h).
struct RegisterAlgorithm {
  explicit RegisterAlgorithm(AlgorithmEntry entry);
};

/// A method and its options on a problem that is not built yet, read and checked together.
struct TrainSettings {
  ResolvedProblem problem;
  Method method;
  TrainOptions train;
  OptimizerOptions optimizer;
};

/// `config` is what the user set; the problem's own training defaults stand behind it. Afterwards
/// config.to_toml() has everything resolved.
TrainSettings resolve_setup(const std::string& problem, const std::string& algorithm,
                            Config& config);

/// Settings whose problem is built.
struct TrainSetup {
  std::unique_ptr<AnyProblem> problem;
  Method method;
  TrainOptions train;
  OptimizerOptions optimizer;
};

TrainSetup make_setup(const std::string& problem, const std::string& algorithm, Config& config);

}  // namespace bpo
