// `bpo eval`: the mean return of a policy on fresh episodes, or its exact value.
#include <fmt/format.h>

#include <memory>

#include "bpo/cli/arguments.h"
#include "bpo/cli/seeds.h"
#include "bpo/cli/verbs.h"
#include "bpo/cli/world.h"

namespace bpo::cli {
namespace {

struct EvalArguments {
  std::string directory;
  Measurement how;
  bool exact = false, greedy = false, json = false;
  std::vector<std::string> sets;
  std::int64_t threads = 0;
};

Result eval_run(const std::string& directory, const EvalArguments& args, ThreadPool& pool) {
  const LoadedPolicy loaded = load_policy(directory, args.sets, args.greedy);
  Measurement how = args.how;
  how.greedy = loaded.greedy;
  Result result = measure(loaded.run, *loaded.problem, *loaded.policy, how, pool);
  result.set = args.sets;
  if (!has_result(directory)) return result;
  try {
    result.training = load_result(directory).training;
  } catch (const Error&) {
    // The policy is what counts here; how it came about is then unknown.
  }
  return result;
}

int eval(const EvalArguments& args) {
  ThreadPool pool(static_cast<int>(args.threads));
  const std::vector<std::string> seeds =
      is_run(args.directory) ? std::vector<std::string>{} : seed_directories(args.directory);
  if (seeds.empty()) {
    const Result result = eval_run(args.directory, args, pool);
    fmt::print("{}", args.json ? result.json().dump(2) + "\n" : result.text());
    return 0;
  }
  std::vector<Result> results;
  for (const std::string& directory : seeds) results.push_back(eval_run(directory, args, pool));
  fmt::print("{}", args.json ? seeds_json(results).dump(2) + "\n" : seeds_text(results));
  return 0;
}

}  // namespace

Verb add_eval(CLI::App& root) {
  CLI::App* app = root.add_subcommand("eval", "measure a policy");
  const auto args = std::make_shared<EvalArguments>();
  app->add_option("directory", args->directory, "a run, or the parent of seed-* runs")
      ->required()
      ->type_name("DIR");
  add_integer(*app, "--episodes", args->how.episodes, 0, 10'000'000,
              "fresh episodes; 0: 10000, or 500 where beliefs are simulated");
  add_integer(*app, "--seed", args->how.seed, 0, kMaxSeed,
              "of the episodes; equal seeds give every policy the same random numbers");
  app->add_flag("--exact", args->exact, "the exact expected return instead of a mean");
  app->add_flag("--greedy", args->greedy, "always take the most probable action");
  add_sets(*app, args->sets, "another world: problem.KEY=VALUE; repeatable");
  add_threads(*app, args->threads);
  add_json(*app, args->json);
  app->footer(
      "Examples:\n"
      "  bpo eval runs/tiger-0 --exact --json\n"
      "  bpo eval runs/chain-bpo --set problem.slip=0.2 --set problem.horizon=1000\n"
      "Episodes are keyed by a hash of --seed that neither training nor validation uses; a run's\n"
      "own result.json was measured with --seed set to the run's seed. gap = optimum - mean.");
  return {app, [args] {
            if (args->exact) args->how.exactness = Exactness::kExact;
            return eval(*args);
          }};
}

}  // namespace bpo::cli
