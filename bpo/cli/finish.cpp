#include "bpo/cli/finish.h"

#include <fmt/format.h>

#include "bpo/cli/arguments.h"
#include "bpo/runs/result.h"
#include "bpo/terminal/print.h"
#include "bpo/terminal/progress.h"
#include "bpo/terminal/signals.h"

namespace bpo::cli {

void add_finish(CLI::App& app, FinishOptions& options) {
  add_threads(app, options.threads);
  add_number(app, "--checkpoint-seconds", options.checkpoint_seconds, 0.0, 1e6,
             "time between checkpoints; it does not change the result");
  add_number(app, "--time", options.seconds, 0.0, 1e9,
             "seconds of training now; `bpo resume` goes on from there; 0: no limit");
  add_integer(app, "--steps", options.steps, 0, kMaxSeed,
              "stop once so many steps are simulated; `bpo resume` goes on; 0: no limit");
  add_stop_at(app);
  app.add_flag("--quiet", options.quiet, "show no progress");
  add_json(app, options.json);
}

void check_is_trained(const RunIdentity& run) {
  if (solvers().at(run.algorithm).kind == SolverKind::kAlgorithm) return;
  throw bad_input(fmt::format(
      "{0} is a planner: there is no training to start or to resume; plan with `bpo solve {1} "
      "--planner {0}`, measure what is there with `bpo eval`",
      run.algorithm, run.problem));
}

std::optional<Measurement> finish_run(Run& run, const FinishOptions& options, ThreadPool& pool) {
  const std::atomic<bool>& stop = *terminal::stop_on_signal();
  Budget budget{.stop = &stop};
  if (options.seconds > 0.0) budget.seconds = options.seconds;
  if (options.steps > 0) budget.steps = options.steps;
  terminal::Progress progress(run.plan().solver->iterations(), options.quiet);
  const Run::End end = run.solve(budget, options.checkpoint_seconds, progress);
  progress.finish();
  if (end == Run::End::kBudgetSpent) {
    terminal::notice(fmt::format("stopped at iteration {}; continue with: bpo resume {}\n",
                                 run.training().value_or(Training{}).iterations, run.directory()));
    return std::nullopt;
  }
  try {
    return write_result(run, usual_protocol(run), stop, progress, pool);
  } catch (const Interrupted&) {
    terminal::notice(
        fmt::format("stopped while the policy was being measured; do it with: bpo resume {}\n",
                    run.directory()));
    return std::nullopt;
  }
}

}  // namespace bpo::cli
