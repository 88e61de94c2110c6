// Training a run to its end as `train` and `resume` both do: progress, signals, result.json.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>

#include "bpo/algorithms/run.h"
#include "bpo/cli/result.h"

namespace bpo::cli {

struct TrainingOptions {
  std::int64_t threads = 0;
  double checkpoint_seconds = 20.0;
  bool quiet = false, json = false;
};

/// The arguments that fill them.
void add_training(CLI::App& app, TrainingOptions& options);

/// Trains until the end or a signal. A diverging training says where its best policy is.
Run::End train_run(Run& run, double checkpoint_seconds, Log& log);

/// Measures the best policy on fresh episodes, exactly where possible, and writes result.json. A
/// signal ends it by Interrupted.
Result write_result(Run& run, std::int64_t episodes, bool quiet, ThreadPool& pool);

/// Both, with progress. Nothing when a signal stopped either; the resume command has then been
/// printed.
std::optional<Result> train_to_end(Run& run, const TrainingOptions& options, ThreadPool& pool);

}  // namespace bpo::cli
