// Training a run to its end as `train` and `resume` both do: progress, signals, result.json.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>

#include "bpo/cli/result.h"

namespace bpo::cli {

struct TrainingOptions {
  std::int64_t threads = 0;
  double checkpoint_seconds = 20.0;
  bool quiet = false, json = false;
};

/// The arguments that fill them.
void add_training(CLI::App& app, TrainingOptions& options);

/// Nothing when a signal stopped it; the resume command has then been printed.
std::optional<Result> train_to_end(Run& run, const TrainingOptions& options, ThreadPool& pool);

}  // namespace bpo::cli
