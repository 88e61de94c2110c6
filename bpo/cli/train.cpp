// `bpo train`: everything is read and checked before anything is made on disk.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "bpo/cli/arguments.h"
#include "bpo/cli/finish.h"
#include "bpo/cli/verbs.h"
#include "bpo/core/problem_file.h"
#include "bpo/core/text.h"
#include "bpo/report/group_text.h"
#include "bpo/report/result_text.h"
#include "bpo/runs/result.h"
#include "bpo/runs/seeds.h"
#include "bpo/runs/settings.h"
#include "bpo/terminal/print.h"
#include "bpo/terminal/progress.h"
#include "bpo/terminal/signals.h"

namespace bpo::cli {
namespace {

struct TrainArguments {
  std::string problem, algorithm, config_file, out;
  std::int64_t seed = 0, seeds = 0;
  bool seed_given = false, force = false;
  std::vector<std::string> sets;
  FinishOptions finish;
};

/// The file gives way to --set, and --set to what has a flag of its own.
Config chosen_settings(const TrainArguments& args) {
  Config config;
  if (!args.config_file.empty()) config = Config::from_file(args.config_file);
  config.merge(config_of(args.sets));
  if (!args.problem.empty() || !config.text("run.problem").empty()) {
    const std::string chosen = args.problem.empty() ? config.text("run.problem") : args.problem;
    if (args.problem.empty() && is_from_file(chosen)) reopen_beside(args.config_file, chosen);
    std::optional<terminal::Waiting> waiting;  // sigma = "auto" can take long
    if (!args.finish.quiet) waiting.emplace("reading " + printable(chosen));
    config.set("run.problem=" + open_problem(chosen));
  } else if (config.is_default("run.problem")) {
    throw bad_input(
        fmt::format("train: which problem? One of {}; {}", fmt::join(problems().names(), ", "),
                    args.config_file.empty() ? "or a --config that names it"
                                             : args.config_file + " names none (run.problem)"));
  }
  if (!args.algorithm.empty()) {
    config.set("run.algorithm=" + solvers(SolverKind::kAlgorithm).at(args.algorithm).name);
  }
  if (args.seed_given) config.set(fmt::format("run.seed={}", args.seed));
  return config;
}

int train_one(const TrainArguments& args, RunPlan plan) {
  const std::string out = !args.out.empty()
                              ? args.out
                              : fmt::format("runs/{}-{}-{}", short_name(plan.run.problem),
                                            plan.run.algorithm, plan.run.seed);
  ThreadPool pool(static_cast<int>(args.finish.threads));
  const std::unique_ptr<Run> run = Run::create(out, std::move(plan), args.force, pool);
  const std::optional<Measurement> result = finish_run(*run, args.finish, pool);
  if (!result) return terminal::signal_status();
  terminal::print(args.finish.json
                      ? json_text(result->json())
                      : report::result_text(*result) + "saved in   " + printable(out) + "\n");
  return 0;
}

/// A training that diverged does not keep the others from theirs: its best policy stands for it.
std::optional<Measurement> train_seed(Run& run, const FinishOptions& options, ThreadPool& pool) {
  try {
    return finish_run(run, options, pool);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kDiverged) throw;
    terminal::notice(fmt::format("seed {}: {}\n", run.plan().run.seed, error.what()));
    terminal::Progress progress(0, options.quiet);
    return write_result(run, usual_protocol(run), *terminal::stop_on_signal(), progress, pool);
  }
}

/// Seeds that are there already with the same settings are finished rather than trained again.
int train_seeds(const TrainArguments& args, const Config& config, const RunIdentity& first) {
  const std::string out =
      !args.out.empty() ? args.out
                        : fmt::format("runs/{}-{}", short_name(first.problem), first.algorithm);
  if (first.seed > kMaxSeed - args.seeds) throw bad_input("--seeds: the last seed is too large");
  check_seeds(out, config, first.seed, args.seeds, args.force);
  ThreadPool pool(static_cast<int>(args.finish.threads));
  Group group{.directory = out};
  for (std::int64_t seed = first.seed; seed < first.seed + args.seeds; ++seed) {
    const std::string directory = seed_directory(out, seed);
    if (!args.force && is_run(directory)) {
      if (const auto stored = stored_result(directory)) {
        group.runs.push_back(*stored);
        continue;
      }
    }
    if (!args.finish.quiet) terminal::notice(fmt::format("seed {}\n", seed));
    const auto run = open_run(directory, with_seed(config, seed), args.force, pool);
    const std::optional<Measurement> result = train_seed(*run, args.finish, pool);
    if (!result) {
      terminal::notice("the same `bpo train` command goes on with this and the other seeds\n");
      return terminal::signal_status();
    }
    group.runs.push_back(*result);
  }
  terminal::print(args.finish.json
                      ? json_text(report::group_json(group))
                      : report::group_text(group) + "saved in " + printable(out) + "\n");
  const auto diverged = [](const Measurement& m) { return m.diverged.has_value(); };
  const auto count = std::count_if(group.runs.begin(), group.runs.end(), diverged);
  if (count == 0) return 0;
  throw Error(ErrorCode::kDiverged, fmt::format("{} of {} seeds diverged", count, group.seeds()));
}

int train(const TrainArguments& args) {
  const Config config = chosen_settings(args);
  check_is_trained(identity_of(config));
  RunPlan plan = make_plan(config);
  return args.seeds > 0 ? train_seeds(args, config, plan.run) : train_one(args, std::move(plan));
}

}  // namespace

Verb add_train(CLI::App& root) {
  CLI::App* app = root.add_subcommand("train", "train a policy");
  const auto args = std::make_shared<TrainArguments>();
  app->add_option("problem", args->problem,
                  "a problem (`bpo list problems`), or a file that holds one");
  app->add_option("--algo", args->algorithm, "an algorithm (`bpo list algorithms`)")
      ->default_str("bpo");
  const CLI::Option* seed =
      add_integer(*app, "--seed", args->seed, 0, kMaxSeed,
                  "the seed that every random number of the training follows from");
  add_integer(*app, "--seeds", args->seeds, 1, 100000,
              "train this many seeds from --seed on, each into DIR/seed-N")
      ->default_str("");
  add_path(*app, "--out", args->out, "the run directory: a new or an empty one")
      ->type_name("DIR")
      ->default_str("runs/PROBLEM-ALGO-SEED");
  add_path(*app, "--config", args->config_file, "options from a TOML file")->type_name("FILE");
  add_sets(*app, args->sets, "one option, stronger than the file; repeatable");
  app->add_flag("--force", args->force, "replace a run that is there: its own files and no others");
  add_finish(*app, args->finish);
  app->footer(
      "Examples:\n"
      "  bpo train tiger --algo bpo --seed 0 --out runs/tiger-0\n"
      "  bpo train chain --seeds 5 --set problem.bins=100 --set problem.tying=semi\n"
      "`bpo list --options tiger` and `bpo list --options bpo` show what --set accepts.");
  return {app, [args, seed] {
            args->seed_given = seed->count() > 0;
            return train(*args);
          }};
}

}  // namespace bpo::cli
