// `bpo train`: everything is read and checked before anything is made on disk.
#include <fmt/format.h>

#include <memory>

#include "bpo/cli/arguments.h"
#include "bpo/cli/seeds.h"
#include "bpo/cli/signals.h"
#include "bpo/cli/training.h"
#include "bpo/cli/verbs.h"

namespace bpo::cli {
namespace {

struct TrainArguments {
  std::string problem, algorithm, config_file, out;
  std::int64_t seed = 0, seeds = 0;
  bool seed_given = false, force = false;
  std::vector<std::string> sets;
  TrainingOptions training;
};

/// The file gives way to --set, and --set to what has a flag of its own.
Config read_config(const TrainArguments& args) {
  Config config;
  if (!args.config_file.empty()) config = Config::from_file(args.config_file);
  config.merge(config_of(args.sets));
  if (!args.problem.empty()) {
    config.set("run.problem=" + problems().at(args.problem).name);
  } else if (args.config_file.empty()) {
    throw bad_input(fmt::format("train: which problem? One of {}; or a --config that names it",
                                fmt::join(problems().names(), ", ")));
  }
  if (!args.algorithm.empty()) {
    config.set("run.algorithm=" + algorithms().at(args.algorithm).name);
  }
  if (args.seed_given) config.set(fmt::format("run.seed={}", args.seed));
  return config;
}

int train_one(const TrainArguments& args, RunPlan plan) {
  const std::string out = !args.out.empty() ? args.out
                                            : fmt::format("runs/{}-{}-{}", plan.run.problem,
                                                          plan.run.algorithm, plan.run.seed);
  ThreadPool pool(static_cast<int>(args.training.threads));
  const std::unique_ptr<Run> run = Run::create(out, std::move(plan), args.force, pool);
  const std::optional<Result> result = train_to_end(*run, args.training, pool);
  if (!result) return signal_status();
  fmt::print("{}", args.training.json ? result->json().dump(2) + "\n"
                                      : result->text() + "saved in   " + out + "\n");
  return 0;
}

/// Seeds that are there already with the same settings are finished rather than trained again.
std::unique_ptr<Run> open_seed(const std::string& directory, RunPlan plan, bool force,
                               ThreadPool& pool) {
  if (force || !is_run(directory)) return Run::create(directory, std::move(plan), force, pool);
  return Run::resume(directory, pool);
}

int train_seeds(const TrainArguments& args, const Config& config, RunPlan first) {
  const std::string out = !args.out.empty()
                              ? args.out
                              : fmt::format("runs/{}-{}", first.run.problem, first.run.algorithm);
  if (first.run.seed > kMaxSeed - args.seeds)
    throw bad_input("--seeds: the last seed is too large");
  if (is_run(out)) check_free(out);
  std::vector<RunPlan> plans;
  for (std::int64_t i = 0; i < args.seeds; ++i) {
    Config with_seed = config;
    with_seed.set(fmt::format("run.seed={}", first.run.seed + i));
    plans.push_back(make_plan(with_seed));
    const std::string directory = seed_directory(out, plans.back().run.seed);
    if (args.force || !is_run(directory)) continue;
    if (load_plan(directory).toml != plans.back().toml) {
      throw bad_input(fmt::format(
          "{}: holds a run with other settings; replace it with --force or choose another --out",
          directory));
    }
  }
  ThreadPool pool(static_cast<int>(args.training.threads));
  std::vector<Result> results;
  for (RunPlan& plan : plans) {
    const std::string directory = seed_directory(out, plan.run.seed);
    if (!args.force && is_run(directory) && has_result(directory)) {
      results.push_back(load_result(directory));
      continue;
    }
    if (!args.training.quiet) fmt::print(stderr, "seed {}\n", plan.run.seed);
    const auto run = open_seed(directory, std::move(plan), args.force, pool);
    const std::optional<Result> result = train_to_end(*run, args.training, pool);
    if (!result) {
      fmt::print(stderr, "the same `bpo train` command goes on with this and the other seeds\n");
      return signal_status();
    }
    results.push_back(*result);
  }
  fmt::print("{}", args.training.json ? seeds_json(results).dump(2) + "\n"
                                      : seeds_text(results) + "saved in " + out + "\n");
  return 0;
}

int train(const TrainArguments& args) {
  const Config config = read_config(args);
  RunPlan plan = make_plan(config);
  return args.seeds > 0 ? train_seeds(args, config, std::move(plan))
                        : train_one(args, std::move(plan));
}

}  // namespace

Verb add_train(CLI::App& root) {
  CLI::App* app = root.add_subcommand("train", "train a policy");
  const auto args = std::make_shared<TrainArguments>();
  app->add_option("problem", args->problem, "a problem (`bpo list problems`)");
  app->add_option("--algo", args->algorithm, "an algorithm (`bpo list algorithms`)")
      ->default_str("bpo");
  const CLI::Option* seed =
      add_integer(*app, "--seed", args->seed, 0, kMaxSeed, "of every random number");
  add_integer(*app, "--seeds", args->seeds, 1, 100000,
              "train this many seeds from --seed on, each into DIR/seed-N")
      ->default_str("");
  app->add_option("--out", args->out, "the run directory")
      ->type_name("DIR")
      ->default_str("runs/PROBLEM-ALGO-SEED");
  app->add_option("--config", args->config_file, "options from a TOML file")->type_name("FILE");
  add_sets(*app, args->sets, "one option, stronger than the file; repeatable");
  app->add_flag("--force", args->force, "replace a run that is there");
  add_training(*app, args->training);
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
