// `bpo resume`: continues after the last checkpoint, to the same bits as without the stop.
#include <fmt/format.h>

#include <memory>

#include "bpo/cli/signals.h"
#include "bpo/cli/training.h"
#include "bpo/cli/verbs.h"

namespace bpo::cli {
namespace {

int resume(const std::string& directory, const TrainingOptions& options) {
  ThreadPool pool(static_cast<int>(options.threads));
  const std::unique_ptr<Run> run = Run::resume(directory, pool);
  const bool finished = run->trainer().finished() && has_result(directory);
  const std::optional<Result> result =
      finished ? load_result(directory) : train_to_end(*run, options, pool);
  if (!result) return signal_status();
  fmt::print("{}", options.json ? result->json().dump(2) + "\n" : result->text());
  if (finished && !options.quiet) fmt::print(stderr, "{}: was finished already\n", directory);
  return 0;
}

}  // namespace

Verb add_resume(CLI::App& root) {
  CLI::App* app = root.add_subcommand("resume", "continue a stopped training, to the same bits");
  const auto directory = std::make_shared<std::string>();
  const auto options = std::make_shared<TrainingOptions>();
  app->add_option("directory", *directory, "the run directory")->required()->type_name("DIR");
  add_training(*app, *options);
  app->footer("Example:\n  bpo resume runs/tiger-0");
  return {app, [=] { return resume(*directory, *options); }};
}

}  // namespace bpo::cli
