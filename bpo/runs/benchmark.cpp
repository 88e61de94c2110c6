#include "bpo/runs/benchmark.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "bpo/algorithms/train.h"
#include "bpo/core/hash.h"
#include "bpo/core/problem_file.h"
#include "bpo/core/simulate.h"
#include "bpo/runs/agreement.h"

namespace bpo {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kWarmUp = 3;
constexpr std::int64_t kSignatureIterations = 5;
constexpr std::int64_t kConjugateGradients = 10;

/// How much work is bearable: the steps of a simulator take a thousand times longer.
struct Size {
  std::int64_t iterations;  // training is measured on these over and over
  std::int64_t episodes, batch_steps;
};
constexpr Size kTable{40, 10 * kLanes, 10'000}, kSimulated{5, 24, 400};

bool is_simulated(const std::string& problem) {
  Config config;
  return problems().at(problem).make(config)->spec().simulated;
}

/// Training without end or validation, with all else as it is.
Config endless() {
  Config config;
  config.set("algo.iterations=1000000");
  config.set("algo.validate_every=1000000");
  return config;
}

/// The paper's: 10,000 steps, 32 units, TRPO with exact Fisher products, rllab's linear baseline.
TrainSetup paper_setup(const std::string& problem) {
  Config config = endless();
  for (const char* set : {"optimizer.kind=trpo", "optimizer.cg_subsample=1.0", "algo.hidden=32",
                          "algo.baseline=linear"}) {
    config.set(set);
  }
  config.set(fmt::format("optimizer.batch_steps={}",
                         (is_simulated(problem) ? kSimulated : kTable).batch_steps));
  config.set(fmt::format("optimizer.cg_iterations={}", kConjugateGradients));
  return make_setup(problem, "bpo", config);
}

TrainSetup usual_setup(const std::string& problem) {
  Config config = endless();
  return make_setup(problem, "bpo", config);
}

/// The best rate over windows of `seconds`; `work` does something and returns how many steps it
/// was.
template <class Work>
double best_rate(double seconds, Work work) {
  double best = 0.0;
  for (int w = 0; w < kBenchmarkWindows; ++w) {
    const Clock::time_point start = Clock::now();
    double steps = 0.0, elapsed = 0.0;
    do {
      steps += static_cast<double>(work());
      elapsed = std::chrono::duration<double>(Clock::now() - start).count();
    } while (elapsed < seconds);
    best = std::max(best, steps / elapsed);
  }
  return best;
}

/// `mujoco`: the same problem as MuJoCo moves it, if there is such a choice.
BeliefCost belief_cost(const AnyProblem& problem, const AnyProblem* mujoco, const Policy& policy,
                       double seconds) {
  const auto world = problem.make_world(), plain = problem.make_plain_world();
  const auto moved_by_mujoco = mujoco != nullptr ? mujoco->make_plain_world() : nullptr;
  const auto actor = policy.make_actor();
  Actions actions(problem.spec().actions.dim);
  const auto bare_step = problem.bare_step();
  double steps = 0.0, with = 0.0, without = 0.0, slow = 0.0, bare = 0.0;
  const auto timed = [](double& total, const auto& work) {
    const Clock::time_point start = Clock::now();
    work();
    total += std::chrono::duration<double>(Clock::now() - start).count();
  };
  for (std::uint64_t seed = 0; with + without < seconds || seed == 0; ++seed) {
    const Episodes episodes{seed, 0, 8};
    world->reset(episodes, LatentSource::kPrior);
    plain->reset(episodes, LatentSource::kPrior);
    if (moved_by_mujoco) moved_by_mujoco->reset(episodes, LatentSource::kPrior);
    actor->begin(world->inputs());
    while (!world->all_done()) {
      actor->act(world->inputs(), actions);
      for (int lane = 0; lane < episodes.count; ++lane) steps += !world->done(lane);
      if (bare_step) {
        timed(bare, [&] {
          for (int lane = 0; lane < episodes.count; ++lane) {
            if (!world->done(lane)) bare_step(actions.box[lane]);
          }
        });
      }
      timed(with, [&] { world->step(actions); });
      timed(without, [&] { plain->step(actions); });
      if (moved_by_mujoco) timed(slow, [&] { moved_by_mujoco->step(actions); });
    }
  }
  BeliefCost out{steps / without, steps / with,
                 static_cast<double>(world->simulated_likelihoods()) / steps};
  if (moved_by_mujoco) out.mujoco = steps / slow;
  if (bare_step) out.bare = steps / bare;
  return out;
}

std::vector<float> tiny_training(int threads) {
  Config config;
  for (const char* set : {"optimizer.batch_steps=2000", "algo.iterations=3",
                          "algo.validate_episodes=200", "problem.horizon=20"}) {
    config.set(set);
  }
  ThreadPool pool(threads);
  const TrainSetup setup = make_setup("tiger", "bpo", config);
  Trainer trainer(*setup.problem, setup.method, setup.train, setup.optimizer, 0, pool);
  while (!trainer.finished()) trainer.iterate();
  return trainer.state().theta;
}

}  // namespace

std::unique_ptr<AnyProblem> on_mujoco(const std::string& problem, const LoadedPolicy* run) {
  constexpr const char* kKey = "problem.simulator";
  if (!has_option(problem, kKey)) return nullptr;
  Config config;
  if (run != nullptr) config = Config::from_toml(run->toml, run->directory);
  config.set(std::string(kKey) + "=mujoco");
  return problems().at(problem).make(config);
}

std::vector<std::string> benchmarked(const std::vector<std::string>& named,
                                     const LoadedPolicy* run) {
  std::vector<std::string> names;
  for (const std::string& problem : named) names.push_back(open_problem(problem));
  if (run == nullptr) return names.empty() ? problems().names() : names;
  for (const std::string& name : names) {
    if (name == run->run.problem) continue;
    throw bad_input(fmt::format("--policy {}: trained on {}, not on {}", run->directory,
                                run->run.problem, name));
  }
  if (!run->problem->spec().simulated) {
    throw bad_input(
        fmt::format("--policy {}: only a robot's belief costs what its policy makes of it; bench "
                    "{} without --policy",
                    run->directory, run->run.problem));
  }
  return {run->run.problem};
}

Throughput measure_throughput(const std::string& problem, const LoadedPolicy* run, double seconds,
                              ThreadPool& pool) {
  const double window = seconds / kBenchmarkWindows;
  const bool simulated = is_simulated(problem);
  const Size& size = simulated ? kSimulated : kTable;
  const TrainSetup setup = simulated ? usual_setup(problem) : paper_setup(problem);
  Trainer trainer(*setup.problem, setup.method, setup.train, setup.optimizer, 0, pool);
  const TrainState start = trainer.save();
  for (int i = 0; i < kWarmUp; ++i) trainer.iterate();
  const auto iterate = [&] {
    if (trainer.iteration() >= size.iterations) trainer.load(start);
    const std::int64_t before = trainer.state().steps;
    trainer.iterate();
    return trainer.state().steps - before;
  };
  Throughput out;
  out.train = best_rate(window, iterate);
  while (trainer.iteration() < size.iterations) trainer.iterate();
  const std::unique_ptr<Policy> policy = trainer.current_policy();
  std::uint64_t seed = 0;
  const auto roll = [&] {
    return evaluate(*setup.problem, *policy, ++seed, size.episodes, pool).steps;
  };
  roll();
  out.rollout = best_rate(window, roll);
  if (simulated) {
    const auto mujoco = on_mujoco(problem, run);
    out.belief = run != nullptr ? belief_cost(*run->problem, mujoco.get(), *run->policy, window)
                                : belief_cost(*setup.problem, mujoco.get(), *policy, window);
    return out;
  }
  // Per step: one forward pass to act, three times that for the gradient, four times for each
  // Fisher product, one for the line search; a pass is two operations per parameter.
  const auto parameters = static_cast<double>(trainer.model().parameters());
  out.train_gflops = out.train * 2.0 * parameters * (5.0 + 4.0 * kConjugateGradients) / 1e9;
  return out;
}

std::string signature(ThreadPool& pool) {
  Hash hash;
  for (const std::string& problem : problems().names()) {
    if (is_from_file(problem)) continue;
    const TrainSetup setup = paper_setup(problem);
    Trainer trainer(*setup.problem, setup.method, setup.train, setup.optimizer, 0, pool);
    for (std::int64_t i = 0; i < kSignatureIterations; ++i) trainer.iterate();
    hash.add(std::as_bytes(std::span(trainer.state().theta)));
  }
  return hash.text();
}

bool threads_agree() { return tiny_training(1) == tiny_training(2); }

}  // namespace bpo
