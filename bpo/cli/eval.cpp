// `bpo eval`: the mean return of a policy on fresh episodes, or its exact value.
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "bpo/cli/arguments.h"
#include "bpo/cli/measure.h"
#include "bpo/cli/print.h"
#include "bpo/cli/seeds.h"
#include "bpo/cli/settings.h"
#include "bpo/cli/verbs.h"
#include "bpo/cli/world.h"

namespace bpo::cli {
namespace {

struct EvalArguments {
  std::string directory;
  EpisodeArguments episodes;
  bool exact = false, json = false;
  std::int64_t threads = 0;
};

Result eval_run(const std::string& directory, const LoadedPolicy& loaded, const EvalArguments& args,
                ThreadPool& pool) {
  const EpisodeArguments& episodes = args.episodes;
  const Measurement how{.episodes = episodes.count,
                        .seed = episodes.seed,
                        .exactness = args.exact ? Exactness::kExact : Exactness::kSample,
                        .greedy = loaded.greedy};
  Result result = measure(loaded.run, *loaded.problem, *loaded.policy, how, pool);
  result.set = episodes.sets;
  result.policy = policy_hash(directory);
  result.diverged = divergence(directory);
  if (const auto stored = stored_result(directory)) result.training = stored->training;
  return result;
}

int eval(const EvalArguments& args) {
  ThreadPool pool(static_cast<int>(args.threads));
  const std::vector<std::string> runs = runs_of(args.directory);
  std::vector<Result> results;
  LoadedPolicy first;
  for (const std::string& run : runs) {
    LoadedPolicy loaded = load_policy(run, args.episodes.sets, args.episodes.greedy);
    if (!results.empty()) check_one_training(runs.front(), first, run, loaded);
    results.push_back(eval_run(run, loaded, args, pool));
    if (results.size() == 1) first = std::move(loaded);
  }
  if (runs.front() == args.directory) {
    const Result& result = results.front();
    print(args.json ? json_text(result.json()) : result.text());
  } else {
    print(args.json ? json_text(seeds_json(results)) : seeds_text(results));
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
  add_episodes(*app, args->episodes);
  app->add_flag("--exact", args->exact, "the exact expected return instead of a mean")
      ->excludes("--episodes")
      ->excludes("--seed");
  add_other_world(*app, args->episodes);
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
