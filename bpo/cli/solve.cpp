// `bpo solve`: plans in a problem's world and measures the planner on fresh episodes. What it
// leaves in --out can be evaluated and played like a trained run.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "bpo/cli/arguments.h"
#include "bpo/cli/print.h"
#include "bpo/cli/progress.h"
#include "bpo/cli/verbs.h"
#include "bpo/core/problem_file.h"
#include "bpo/core/text.h"
#include "bpo/planners/planner.h"
#include "bpo/report/result_text.h"
#include "bpo/runs/measure.h"
#include "bpo/runs/planned.h"
#include "bpo/runs/settings.h"

namespace bpo::cli {
namespace {

struct SolveArguments {
  std::string problem, planner, out;
  Protocol protocol{.episodes = 1000, .exactness = Exactness::kOptimum};
  std::int64_t threads = 0;
  bool force = false, json = false;
};

Config chosen_settings(const SolveArguments& args) {
  Config config = config_of(args.protocol.sets);
  config.set("run.problem=" + open_problem(args.problem));
  config.set("run.algorithm=" + planners().at(args.planner).name);
  config.set(fmt::format("run.seed={}", args.protocol.seed));
  return config;
}

int solve(const SolveArguments& args) {
  if (args.force && args.out.empty()) throw bad_input("--force: needs --out");
  const PlannedRun planned = make_planned(chosen_settings(args));
  ThreadPool pool(static_cast<int>(args.threads));
  std::optional<RunFiles> files;
  if (!args.out.empty()) {
    files = RunFiles::claim(args.out, args.force);
    begin_run(*files, planned.toml, planned.run.problem);
  }
  Notices log;
  Protocol protocol = args.protocol;
  protocol.sets.clear();  // they made the problem, and do not change it
  const Measurement result =
      measure(planned.run, *planned.problem, *planned.policy, protocol, log, pool);
  const std::string json = json_text(result.json());
  if (files) files->write(kResultName, json);
  const std::string saved = files ? "saved in   " + printable(args.out) + "\n" : "";
  print(args.json ? json : report::result_text(result) + saved);
  return 0;
}

}  // namespace

Verb add_solve(CLI::App& root) {
  CLI::App* app = root.add_subcommand("solve", "plan instead of training, and measure it");
  const auto args = std::make_shared<SolveArguments>();
  app->add_option("problem", args->problem,
                  "a problem (`bpo list problems`), or a file that holds one")
      ->required();
  app->add_option("--planner", args->planner, "a planner (`bpo list planners`)")
      ->required()
      ->type_name("P");
  add_episodes(*app, args->protocol);
  add_path(*app, "--out", args->out, "a run directory for `bpo eval` and `bpo play`")
      ->type_name("DIR");
  add_sets(*app, args->protocol.sets, "problem.KEY=VALUE or planner.KEY=VALUE; repeatable");
  app->add_flag("--force", args->force, "replace a run that is there");
  add_threads(*app, args->threads);
  add_json(*app, args->json);
  app->footer(
      "Examples:\n"
      "  bpo solve lightdark --planner belief-ilqg --episodes 500\n"
      "  bpo solve lightdark --planner belief-ilqg --set planner.guesses=16 --out runs/planned\n"
      "`bpo list --options belief-ilqg` shows what --set planner.* accepts.");
  return {app, [args] { return solve(*args); }};
}

}  // namespace bpo::cli
