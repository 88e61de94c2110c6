// `bpo resume`: continues after the last checkpoint, to the same bits as without the stop.
#include <fmt/format.h>

#include <memory>

#include "bpo/cli/arguments.h"
#include "bpo/cli/finish.h"
#include "bpo/cli/verbs.h"
#include "bpo/report/result_text.h"
#include "bpo/runs/result.h"
#include "bpo/terminal/print.h"
#include "bpo/terminal/signals.h"

namespace bpo::cli {
namespace {

int resume(const std::string& directory, const FinishOptions& options) {
  ThreadPool pool(static_cast<int>(options.threads));
  const RunIdentity of = identity_of(load_config(directory));
  if (!solvers().at(of.algorithm).keeps_policy) check_is_trained(of);
  const std::unique_ptr<Run> run = Run::resume(directory, pool);
  std::optional<Measurement> result;
  if (run->solution().finished()) result = stored_result(directory);
  const bool finished = result.has_value();
  if (!finished) result = finish_run(*run, options, pool);
  if (!result) return terminal::signal_status();
  terminal::print(options.json ? json_text(result->json()) : report::result_text(*result));
  if (finished && !options.quiet) terminal::notice(directory + ": was finished already\n");
  return 0;
}

}  // namespace

Verb add_resume(CLI::App& root) {
  CLI::App* app = root.add_subcommand("resume", "continue what was stopped, to the same bits");
  const auto directory = std::make_shared<std::string>();
  const auto options = std::make_shared<FinishOptions>();
  add_path(*app, "directory", *directory, "the run directory")->required()->type_name("DIR");
  add_finish(*app, *options);
  app->footer("Example:\n  bpo resume runs/tiger-0");
  return {app, [=] { return resume(*directory, *options); }};
}

}  // namespace bpo::cli
