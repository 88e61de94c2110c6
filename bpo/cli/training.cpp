#include "bpo/cli/training.h"

#include <fmt/format.h>

#include "bpo/cli/arguments.h"
#include "bpo/cli/measure.h"
#include "bpo/cli/print.h"
#include "bpo/cli/progress.h"
#include "bpo/cli/signals.h"

namespace bpo::cli {

void add_training(CLI::App& app, TrainingOptions& options) {
  add_threads(app, options.threads);
  add_number(app, "--checkpoint-seconds", options.checkpoint_seconds, 0.0, 1e6,
             "time between checkpoints; it does not change the result");
  app.add_flag("--quiet", options.quiet, "no progress");
  add_json(app, options.json);
}

Run::End train_run(Run& run, double checkpoint_seconds, Log& log) {
  const Budget budget{.stop = stop_on_signal()};
  try {
    return run.train(budget, checkpoint_seconds, log);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kDiverged) throw;
    throw Error(ErrorCode::kDiverged,
                fmt::format("{}; the best policy so far is in {}", error.what(), run.directory()));
  }
}

Result write_result(Run& run, std::int64_t episodes, bool quiet, ThreadPool& pool) {
  const RunPlan& plan = run.plan();
  const Interruptible interruptible(pool, *stop_on_signal());
  Result result = measure(plan.run, *plan.setup.problem, run.trainer().best_policy(),
                          {.episodes = episodes,
                           .seed = plan.run.seed,
                           .exactness = Exactness::kSampleAndExact,
                           .quiet = quiet},
                          pool);
  const TrainState& state = run.trainer().state();
  result.training = {state.iteration, state.steps, state.best_iteration, run.seconds()};
  result.policy = policy_hash(run.directory());
  result.diverged = divergence(run.directory());
  run.files().write(kResultName, json_text(result.json()));
  return result;
}

std::optional<Result> train_to_end(Run& run, const TrainingOptions& options, ThreadPool& pool) {
  Progress progress(run.plan().setup.train.iterations, options.quiet);
  const Run::End end = train_run(run, options.checkpoint_seconds, progress);
  progress.finish();
  if (end == Run::End::kInterrupted) {
    notice(fmt::format("stopped at iteration {}; continue with: bpo resume {}\n",
                       run.trainer().iteration(), run.directory()));
    return std::nullopt;
  }
  try {
    return write_result(run, Measurement{}.episodes, options.quiet, pool);
  } catch (const Interrupted&) {
    notice(fmt::format("stopped while the policy was being measured; do it with: bpo resume {}\n",
                       run.directory()));
    return std::nullopt;
  }
}

}  // namespace bpo::cli
