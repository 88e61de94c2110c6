// `bpo eval`: the mean return of a policy on fresh episodes, or its exact value.
#include <fmt/format.h>

#include <memory>

#include "bpo/cli/arguments.h"
#include "bpo/cli/verbs.h"
#include "bpo/report/group_text.h"
#include "bpo/report/result_text.h"
#include "bpo/terminal/print.h"
#include "bpo/terminal/progress.h"

namespace bpo::cli {
namespace {

struct EvalArguments {
  std::string directory;
  Protocol protocol{.exactness = Exactness::kOptimum};
  bool exact = false, json = false;
  std::int64_t threads = 0;
};

int eval(const EvalArguments& args) {
  ThreadPool pool(static_cast<int>(args.threads));
  Protocol protocol = args.protocol;
  if (args.exact) protocol.exactness = Exactness::kValueOnly;
  const std::vector<LoadedPolicy> runs = load_runs(args.directory, protocol.sets, protocol.greedy);
  terminal::Notices log;
  const Group group = measure_group(args.directory, runs, protocol, log, pool);
  if (runs.front().directory == args.directory) {
    const Measurement& only = group.runs.front();
    terminal::print(args.json ? json_text(only.json()) : report::result_text(only));
  } else {
    terminal::print(args.json ? json_text(report::group_json(group)) : report::group_text(group));
  }
  return 0;
}

}  // namespace

Verb add_eval(CLI::App& root) {
  CLI::App* app = root.add_subcommand("eval", "measure a policy");
  const auto args = std::make_shared<EvalArguments>();
  add_path(*app, "directory", args->directory, "a run, or the parent of seed-* runs")
      ->required()
      ->type_name("DIR");
  add_episodes(*app, args->protocol);
  app->add_flag("--exact", args->exact, "the exact expected return instead of a mean")
      ->excludes("--episodes")
      ->excludes("--seed");
  add_other_world(*app, args->protocol);
  add_threads(*app, args->threads);
  add_json(*app, args->json);
  app->footer(
      "Examples:\n"
      "  bpo eval runs/tiger-0 --exact --json\n"
      "  bpo eval runs/chain-bpo --set problem.slip=0.2 --set problem.horizon=1000\n"
      "Episodes are keyed by a hash of --seed that neither training nor validation uses; a run's\n"
      "own result.json was measured with --seed set to the run's seed. gap = optimum - mean.");
  return {app, [args] { return eval(*args); }};
}

}  // namespace bpo::cli
