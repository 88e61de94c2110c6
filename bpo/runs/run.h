// A run directory: config.toml (resolved), policy.safetensors, checkpoint.safetensors,
// metrics.jsonl, TensorBoard events, and diverged.txt where training broke off. One process trains
// in it at a time. What is on disk never influences a bit of the training: `train 2N` equals
// `train N; kill -9; resume`.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "bpo/algorithms/checkpoint.h"
#include "bpo/algorithms/train.h"
#include "bpo/core/budget.h"
#include "bpo/core/log.h"
#include "bpo/core/tensorboard.h"
#include "bpo/runs/run_files.h"

namespace bpo {

/// All that determines a training, read and checked; nothing is on disk yet.
struct RunPlan {
  RunIdentity run;
  TrainSetup setup;
  std::string toml;  // resolved
};

/// Reads run.*, problem.*, algo.* and optimizer.*.
RunPlan make_plan(Config config);
/// The settings of a training or a plan in full, as its config.toml has them; builds nothing.
std::string resolved_toml(Config config);
/// Of an existing run; `changes` are stronger than its config.toml.
RunPlan load_plan(const std::string& directory, const Config& changes = {});

/// The configuration of an existing run, whose problem is there to be resolved.
Config load_config(const std::string& directory);

/// Starts a run in a directory that was claimed: its config.toml, and a copy of the file that the
/// problem came from, if it came from one.
void begin_run(RunFiles& files, const std::string& toml, const std::string& problem);

bool is_run(const std::string& directory);
/// Why its training broke off; nothing if it did not.
std::optional<std::string> divergence(const std::string& directory);
std::string policy_path(const std::string& directory);
/// A hash of the bytes of the run's policy; empty where a plan has none.
std::string policy_hash(const std::string& directory);

/// The best policy of the run in `directory`, for the problem of `plan`.
NetworkPolicy best_policy(const std::string& directory, const RunPlan& plan, bool greedy = false);

class Run {
 public:
  enum class End { kFinished, kInterrupted };

  /// Writes config.toml and a first checkpoint: a directory that cannot be written is found here.
  /// `force` replaces a run that is there.
  static std::unique_ptr<Run> create(const std::string& directory, RunPlan plan, bool force,
                                     ThreadPool& pool);
  /// Continues after the last checkpoint. That one is missing is refused where something says that
  /// it was there.
  static std::unique_ptr<Run> resume(const std::string& directory, ThreadPool& pool);

  /// Trains until the plan or the budget ends it. A checkpoint is saved every so many seconds and
  /// at the end. A training that diverges is saved and says so for good: the Error, which names
  /// the directory with the best policy, is thrown now and whenever it is resumed.
  End train(const Budget& budget, double checkpoint_seconds, Log& log);

  const std::string& directory() const { return files_.directory(); }
  RunFiles& files() { return files_; }
  const RunPlan& plan() const { return plan_; }
  const Trainer& trainer() const { return *trainer_; }
  double seconds() const { return seconds_; }

 private:
  using Clock = std::chrono::steady_clock;
  Run(RunFiles files, RunPlan plan, ThreadPool& pool);
  std::string policy_bytes() const;
  void restore_policy();
  void save();
  Metrics iterate();
  Error diverged(const std::string& why) const;
  void record(Metrics& metrics, double steps_per_s, TensorBoardWriter& board);

  RunFiles files_;
  RunPlan plan_;
  std::unique_ptr<Trainer> trainer_;
  std::unique_ptr<AppendFile> metrics_;
  double seconds_ = 0.0;
  bool resumed_ = false;
};

}  // namespace bpo
