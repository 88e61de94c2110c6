// How fast it is: steps per second, at the paper's settings where the world is a table and at a
// robot's own; and a signature of the results: two builds with equal signatures compute the same
// bits.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "bpo/core/parallel.h"
#include "bpo/runs/loaded.h"

namespace bpo {

/// The best of this many windows of time counts.
inline constexpr int kBenchmarkWindows = 3;

/// What the belief costs where likelihoods are simulated, on the same episodes with and without.
struct BeliefCost {
  double plain = 0.0, belief = 0.0;  // steps per second of the world alone
  double models = 0.0;               // simulated per step
  std::optional<double> mujoco;      // plain, where MuJoCo moves a world that else moves on lanes
  std::optional<double> bare;        // control steps of MuJoCo alone, with nothing around them
  double ratio() const { return plain / belief; }
};

struct Throughput {
  double rollout = 0.0, train = 0.0;   // steps per second
  std::optional<double> train_gflops;  // nominal, where the world is a table
  std::optional<BeliefCost> belief;    // where it is simulated
};

/// Which problems are measured: those named, or all, or the one that the policy of `run` was
/// trained on, which has to be a robot's.
std::vector<std::string> benchmarked(const std::vector<std::string>& named,
                                     const LoadedPolicy* run);

/// Measures each number for `seconds`. The belief's cost is that under the policy of `run`, if
/// there is one.
Throughput measure_throughput(const std::string& problem, const LoadedPolicy* run, double seconds,
                              ThreadPool& pool);

/// The problem as MuJoCo moves it, with the options of the policy's if there is one; null where it
/// never moves on lanes.
std::unique_ptr<AnyProblem> on_mujoco(const std::string& problem, const LoadedPolicy* run);

/// A hash of the parameters after a few iterations on each problem.
std::string signature(ThreadPool& pool);

/// Whether a tiny training gives the same bits with one thread and with two.
bool threads_agree();

}  // namespace bpo
