#include "bpo/cli/finish.h"

#include <fmt/format.h>

#include "bpo/cli/arguments.h"
#include "bpo/cli/print.h"
#include "bpo/cli/progress.h"
#include "bpo/cli/signals.h"
#include "bpo/runs/result.h"

namespace bpo::cli {

void add_finish(CLI::App& app, FinishOptions& options) {
  add_threads(app, options.threads);
  add_number(app, "--checkpoint-seconds", options.checkpoint_seconds, 0.0, 1e6,
             "time between checkpoints; it does not change the result");
  app.add_flag("--quiet", options.quiet, "no progress");
  add_json(app, options.json);
}

std::optional<Measurement> finish_run(Run& run, const FinishOptions& options, ThreadPool& pool) {
  const std::atomic<bool>& stop = *stop_on_signal();
  Progress progress(run.plan().setup.train.iterations, options.quiet);
  const Run::End end = run.train({.stop = &stop}, options.checkpoint_seconds, progress);
  progress.finish();
  if (end == Run::End::kInterrupted) {
    notice(fmt::format("stopped at iteration {}; continue with: bpo resume {}\n",
                       run.trainer().iteration(), run.directory()));
    return std::nullopt;
  }
  try {
    return write_result(run, 0, stop, progress, pool);
  } catch (const Interrupted&) {
    notice(fmt::format("stopped while the policy was being measured; do it with: bpo resume {}\n",
                       run.directory()));
    return std::nullopt;
  }
}

}  // namespace bpo::cli
