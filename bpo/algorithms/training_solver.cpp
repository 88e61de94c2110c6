#include "bpo/algorithms/training_solver.h"

#include <fmt/format.h>

#include <utility>

#include "bpo/core/machine.h"
#include "bpo/core/simulate.h"

namespace bpo {
namespace {

class TrainedSolution final : public Solution {
 public:
  TrainedSolution(const AnyProblem& problem, const TrainSettings& settings, std::uint64_t seed,
                  ThreadPool& pool)
      : trainer(problem, settings.method, settings.train, settings.optimizer, seed, pool) {}

  bool finished() const override { return trainer.finished(); }
  Metrics iterate() override { return trainer.iterate(); }
  std::shared_ptr<const Policy> policy() const override { return trainer.best_policy(); }
  std::optional<Training> training() const override {
    const TrainState& state = trainer.state();
    return Training{state.iteration, state.steps, state.best_iteration};
  }
  std::string checkpoint_bytes(const RunIdentity& run, const RunPosition& at) const override {
    return checkpoint_tensors({trainer.save(), at.metrics_bytes, at.seconds}, run).serialize();
  }
  RunPosition restore(const std::string& path, const RunIdentity& run) override {
    Checkpoint checkpoint = load_checkpoint(path, run, trainer);
    try {
      trainer.load(std::move(checkpoint.state));
    } catch (const Error& error) {
      throw Error(error.code(), fmt::format("{}: {}", path, error.what()));
    }
    return {checkpoint.metrics_bytes, checkpoint.seconds};
  }

  Trainer trainer;
};

class TrainingSolver final : public Solver {
 public:
  explicit TrainingSolver(TrainSettings settings) : settings_(std::move(settings)) {}

  std::unique_ptr<Solution> start(const AnyProblem& problem, std::uint64_t seed,
                                  ThreadPool& pool) const override {
    return std::make_unique<TrainedSolution>(problem, settings_, seed, pool);
  }
  std::shared_ptr<const Policy> read(const TensorFile& file, const AnyProblem& problem, bool greedy,
                                     const std::string& path) const override {
    const auto model = make_model(problem.spec(), settings_.method, settings_.train);
    return model->read_policy(file, greedy, path);
  }
  void check_memory(const AnyProblem& problem, int threads) const override {
    bpo::check_memory(problem, kLanes, threads);
    // A step is at least its column, action, reward, value, return, advantage and weight.
    constexpr double kLeastBytesPerStep = 64.0;
    bpo::check_memory(kLeastBytesPerStep * static_cast<double>(settings_.optimizer.batch_steps),
                      "optimizer.batch_steps", "a batch");
  }
  std::int64_t iterations() const override { return settings_.train.iterations; }

 private:
  TrainSettings settings_;
};

/// algo.* and optimizer.* at the values of `config`, with EPOpt's where it has a worst share.
std::vector<OptionRow> training_options(Config config, bool worst_share) {
  TrainOptions train;
  train.worst_share = worst_share;
  OptimizerOptions optimizer;
  config.read("algo", train);
  config.read("optimizer", optimizer);
  std::vector<OptionRow> out = Config::rows("algo", train);
  for (OptionRow& row : Config::rows("optimizer", optimizer)) out.push_back(std::move(row));
  return out;
}

}  // namespace

const Trainer& trainer_of(const Solution& solution) {
  return dynamic_cast<const TrainedSolution&>(solution).trainer;
}

std::vector<OptionRow> problem_options(const ProblemEntry& entry) {
  std::vector<OptionRow> out = entry.options();
  Config config;
  entry.resolve(config);
  const auto own = config.literals();
  for (OptionRow& row : training_options(config, true)) {
    if (own.contains(row.key)) out.push_back(std::move(row));
  }
  return out;
}

RegisterAlgorithm::RegisterAlgorithm(AlgorithmEntry entry) {
  solvers().add(
      {entry.name, entry.summary, SolverKind::kAlgorithm,
       [name = entry.name](const std::string& problem, Config& config) -> SolverSetup {
         TrainSettings settings = resolve_setup(problem, name, config);
         ResolvedProblem resolved = settings.problem;
         return {std::move(resolved), std::make_shared<TrainingSolver>(std::move(settings))};
       },
       [worst = entry.method.worst_share] { return training_options({}, worst); },
       /*keeps_policy=*/true});
  algorithms().add(std::move(entry));
}

}  // namespace bpo
