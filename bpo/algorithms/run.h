// A run directory: config.toml (resolved), policy.safetensors, checkpoint.safetensors,
// metrics.jsonl, TensorBoard events. One process trains in it at a time. What is on disk never
// influences a bit of the training: `train 2N` equals `train N; kill -9; resume`.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "bpo/algorithms/checkpoint.h"
#include "bpo/algorithms/train.h"
#include "bpo/core/budget.h"
#include "bpo/core/file.h"
#include "bpo/core/log.h"
#include "bpo/core/tensorboard.h"

namespace bpo {

/// All that determines a training, read and checked; nothing is on disk yet.
struct RunPlan {
  RunIdentity run;
  TrainSetup setup;
  std::string toml;  // resolved
};

/// Reads run.*, problem.*, algo.* and optimizer.*.
RunPlan make_plan(Config config);
/// Of an existing run; `changes` are stronger than its config.toml.
RunPlan load_plan(const std::string& directory, const Config& changes = {});

/// The configuration of an existing run.
Config load_config(const std::string& directory);

bool is_run(const std::string& directory);
/// Throws bad_input unless the directory is free for a new run, kLocked if a run is being trained.
void check_free(const std::string& directory);
/// Makes the directory and locks it; `force` lets it hold a run already.
RunLock claim(const std::string& directory, bool force);
/// Removes what is left of another run and writes config.toml. The directory must be claimed.
void begin_run(const std::string& directory, const std::string& toml);

/// The best policy of the run in `directory`, for the problem of `plan`.
NetworkPolicy load_policy(const std::string& directory, const RunPlan& plan, bool greedy = false);

class Run {
 public:
  enum class End { kFinished, kInterrupted };

  /// Writes config.toml and a first checkpoint: a directory that cannot be written is found here.
  /// `force` replaces a run that is there.
  static std::unique_ptr<Run> create(const std::string& directory, RunPlan plan, bool force,
                                     ThreadPool& pool);
  /// Continues after the last checkpoint.
  static std::unique_ptr<Run> resume(const std::string& directory, ThreadPool& pool);

  /// Trains until the plan or the budget ends it. A checkpoint is saved every so many seconds, at
  /// the end, and when training diverged (the Error is then thrown on).
  End train(const Budget& budget, double checkpoint_seconds, Log& log);

  const std::string& directory() const { return directory_; }
  const RunPlan& plan() const { return plan_; }
  const Trainer& trainer() const { return *trainer_; }
  double seconds() const { return seconds_; }

 private:
  using Clock = std::chrono::steady_clock;
  Run(const std::string& directory, RunLock lock, RunPlan plan, ThreadPool& pool);
  std::string path(const char* name) const { return directory_ + "/" + name; }
  void save();
  Metrics iterate();
  void record(Metrics& metrics, double steps_per_s, TensorBoardWriter& board);

  std::string directory_;
  RunLock lock_;
  RunPlan plan_;
  std::unique_ptr<Trainer> trainer_;
  std::unique_ptr<AppendFile> metrics_;
  double seconds_ = 0.0;
  bool resumed_ = false;
};

}  // namespace bpo
