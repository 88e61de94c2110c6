// A run directory: config.toml (resolved), policy.safetensors, checkpoint.safetensors,
// metrics.jsonl, TensorBoard events, and diverged.txt where training broke off; a solver whose
// settings say everything leaves config.toml alone. One process trains in it at a time. What is on
// disk never influences a bit of the training: `train 2N` equals `train N; kill -9; resume`.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "bpo/core/solver.h"
#include "bpo/core/tensorboard.h"
#include "bpo/runs/run_files.h"

namespace bpo {

/// All that determines a run, read and checked; nothing is on disk yet.
struct RunPlan {
  RunIdentity run;
  std::unique_ptr<AnyProblem> problem;
  std::shared_ptr<const Solver> solver;
  std::string toml;  // resolved

  /// The solution refers to the problem and the pool.
  std::unique_ptr<Solution> start(ThreadPool& pool) const;
};

/// Reads run.*; the settings are those that are set.
RunIdentity identity_of(Config config);
/// Reads run.*, problem.* and the solver's own options.
RunPlan make_plan(Config config);
/// The settings of a run in full, as its config.toml has them; builds nothing.
std::string resolved_toml(Config config);
/// The plan of an existing run; `changes` are stronger than its config.toml.
RunPlan load_plan(const std::string& directory, const Config& changes = {});

/// The configuration of an existing run, whose problem is there to be resolved.
Config load_config(const std::string& directory);

/// Registers the problem that a run's config.toml names, where it came from a file, by the copy of
/// that file beside it.
void reopen_beside(const std::string& config_file, const std::string& problem);

/// Starts a run in a directory that was claimed: its config.toml, and a copy of the file that the
/// problem came from, if it came from one.
void begin_run(RunFiles& files, const std::string& toml, const std::string& problem);

bool is_run(const std::string& directory);
/// Why its training broke off; nothing if it did not.
std::optional<std::string> divergence(const std::string& directory);
std::string policy_path(const std::string& directory);
/// A hash of the bytes of the run's policy; empty where it keeps none.
std::string policy_hash(const std::string& directory);

class Run {
 public:
  enum class End { kFinished, kBudgetSpent };

  /// Writes config.toml and a first checkpoint: a directory that cannot be written is found here.
  /// `force` replaces a run that is there.
  static std::unique_ptr<Run> create(const std::string& directory, RunPlan plan, bool force,
                                     ThreadPool& pool);
  /// Continues after the last checkpoint. That one is missing is refused where something says that
  /// it was there.
  static std::unique_ptr<Run> resume(const std::string& directory, ThreadPool& pool);

  /// Goes on until the solution is finished or the budget is spent, whose seconds include those
  /// that it took to start. A checkpoint is saved every so many seconds and at the end. A training
  /// that diverges is saved and says so for good: the Error, which names the directory with the
  /// best policy, is thrown now and whenever it is resumed.
  End solve(Budget budget, double checkpoint_seconds, Log& log);

  const std::string& directory() const { return files_.directory(); }
  RunFiles& files() { return files_; }
  const RunPlan& plan() const { return plan_; }
  const Solution& solution() const { return *solution_; }
  /// What it took so far; nothing where there were no iterations.
  std::optional<Training> training() const;
  double seconds() const { return seconds_; }

 private:
  using Clock = std::chrono::steady_clock;
  class Recorder;
  Run(RunFiles files, RunPlan plan, std::unique_ptr<Solution> solution, Clock::time_point began);
  std::string policy_bytes() const;
  void restore_policy();
  void save();
  Error diverged(const std::string& why) const;

  RunFiles files_;
  RunPlan plan_;
  std::unique_ptr<Solution> solution_;   // refers to the plan's problem
  std::unique_ptr<AppendFile> metrics_;  // null where there is nothing to record
  double starting_ = 0.0;                // seconds that it took to start, until a budget paid
  double seconds_ = 0.0;
  bool resumed_ = false;
};

/// Goes on with the run that is there, or makes it; with `force` it is always made anew.
std::unique_ptr<Run> open_run(const std::string& directory, const Config& config, bool force,
                              ThreadPool& pool);

}  // namespace bpo
