// Bringing a run to its end as `train` and `resume` both do: progress, signals, result.json.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>

#include "bpo/runs/measurement.h"
#include "bpo/runs/run.h"

namespace bpo::cli {

struct FinishOptions {
  std::int64_t threads = 0;
  double checkpoint_seconds = 20.0;
  double seconds = 0.0;    // how long to train; 0: as long as it takes
  std::int64_t steps = 0;  // how many steps to train; 0: as many as it takes
  bool quiet = false, json = false;
};

/// The arguments that fill them.
void add_finish(CLI::App& app, FinishOptions& options);

/// Refuses a planner: there is nothing to be trained.
void check_is_trained(const RunIdentity& run);

/// Trains and measures. Nothing when a signal or a limit stopped either; the resume command has
/// then been printed.
std::optional<Measurement> finish_run(Run& run, const FinishOptions& options, ThreadPool& pool);

}  // namespace bpo::cli
