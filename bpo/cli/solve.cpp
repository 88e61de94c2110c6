// `bpo solve`: plans in a problem's world and measures the planner on fresh episodes. What it
// leaves in --out can be evaluated and played like a trained run.
#include <fmt/format.h>

#include <memory>

#include "bpo/cli/arguments.h"
#include "bpo/cli/verbs.h"
#include "bpo/core/problem_file.h"
#include "bpo/core/text.h"
#include "bpo/report/result_text.h"
#include "bpo/runs/result.h"
#include "bpo/runs/settings.h"
#include "bpo/terminal/print.h"
#include "bpo/terminal/progress.h"
#include "bpo/terminal/signals.h"

namespace bpo::cli {
namespace {

constexpr double kCheckpointSeconds = 20.0;

struct SolveArguments {
  std::string problem, planner, out;
  Protocol protocol{.episodes = 1000, .exactness = Exactness::kOptimum};
  double seconds = 0.0, gap = 0.0, memory = 0.0;
  std::int64_t threads = 0, iterations = 0;
  std::vector<std::string> sets;
  bool force = false, json = false;
};

Config chosen_settings(const SolveArguments& args) {
  Config config = config_of(args.sets);
  config.set("run.problem=" + open_problem(args.problem));
  config.set("run.algorithm=" + solvers(SolverKind::kPlanner).at(args.planner).name);
  config.set(fmt::format("run.seed={}", args.protocol.seed));
  if (args.memory > 0.0) config.set(fmt::format("planner.memory={}", args.memory));
  return config;
}

int solve(const SolveArguments& args) {
  if (args.force && args.out.empty()) throw bad_input("--force: needs --out");
  RunPlan plan = make_plan(chosen_settings(args));
  ThreadPool pool(static_cast<int>(args.threads));
  const std::atomic<bool>& stop = *terminal::stop_on_signal();
  Budget budget{.gap = args.gap, .stop = &stop};
  if (args.seconds > 0.0) budget.seconds = args.seconds;
  if (args.iterations > 0) budget.iterations = args.iterations;
  terminal::Progress log(plan.solver->iterations(), args.json);
  Measurement result;
  if (args.out.empty()) {
    const Interruptible interruptible(pool, stop);
    result = solve_and_measure(plan, budget, args.protocol, log, pool);
  } else {
    const auto run = Run::create(args.out, std::move(plan), args.force, pool);
    run->solve(budget, kCheckpointSeconds, log);
    result = write_result(*run, args.protocol, stop, log, pool);
  }
  log.finish();
  const std::string saved = args.out.empty() ? "" : "saved in   " + printable(args.out) + "\n";
  terminal::print(args.json ? json_text(result.json()) : report::result_text(result) + saved);
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
  add_sets(*app, args->sets, "problem.KEY=VALUE or planner.KEY=VALUE; repeatable");
  add_number(*app, "--time,--seconds", args->seconds, 0.0, 1e9, "seconds to plan for; 0: no limit");
  add_integer(*app, "--iterations", args->iterations, 0, 1'000'000'000,
              "stop after so many lines of metrics.jsonl, on every machine the same; 0: no limit");
  add_number(*app, "--gap", args->gap, 0.0, 1e9,
             "stop once the planner's bounds are as near as this");
  add_number(*app, "--memory", args->memory, 0.0, 1e9,
             "stop once so many megabytes are in use; 0: the planner's own limit");
  app->add_flag("--force", args->force, "replace a run that is there");
  add_threads(*app, args->threads);
  add_json(*app, args->json);
  app->footer(
      "Example:\n"
      "  bpo solve hallway.pomdp --planner sarsop --time 60 --out runs/hallway\n"
      "`bpo list --options sarsop` shows what --set planner.* accepts.");
  return {app, [args] { return solve(*args); }};
}

}  // namespace bpo::cli
