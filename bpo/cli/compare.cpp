// `bpo compare`: policies side by side on common random numbers. Episode e has the same latent and
// the same noise for each of them, so the difference of two returns is far less noisy than either.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "bpo/cli/arguments.h"
#include "bpo/cli/result.h"
#include "bpo/cli/seeds.h"
#include "bpo/cli/table.h"
#include "bpo/cli/verbs.h"
#include "bpo/cli/world.h"
#include "bpo/core/simulate.h"

namespace bpo::cli {
namespace {

struct CompareArguments {
  std::vector<std::string> directories, sets;
  std::int64_t episodes = 5000, seed = 0, threads = 0;
  bool greedy = false, json = false;
};

/// The runs of one directory: a training, or the seeds of one.
struct Group {
  std::string directory, problem, algorithm;
  std::vector<double> seed_means;
  std::vector<double> returns;  // by episode, the mean over the seeds
};

struct Interval {
  double mean = 0.0, half = 0.0;
};

Interval over_episodes(const std::vector<double>& values) {
  const Evaluation evaluation{.returns = values};
  return {evaluation.mean(), evaluation.ci95()};
}

Interval over_seeds(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  double sum = 0.0, squares = 0.0;
  for (double x : values) sum += x / n;
  for (double x : values) squares += (x - sum) * (x - sum);
  if (n < 2) return {sum, 0.0};
  return {sum, t_quantile(static_cast<int>(n) - 1) * std::sqrt(squares / (n - 1.0) / n)};
}

void check_one_problem(const std::string& first, const std::string& its_problem,
                       const std::string& other, const std::string& others_problem) {
  if (its_problem == others_problem) return;
  throw bad_input(fmt::format("{} is a run of {}, {} of {}: compare runs of one problem", first,
                              its_problem, other, others_problem));
}

Group measure_group(const std::string& directory, const CompareArguments& args, ThreadPool& pool) {
  std::vector<std::string> runs = seed_directories(directory);
  if (is_run(directory) || runs.empty()) runs = {directory};
  Group group{.directory = directory};
  group.returns.assign(static_cast<std::size_t>(args.episodes), 0.0);
  for (const std::string& run : runs) {
    const LoadedPolicy loaded = load_policy(run, args.sets, args.greedy);
    if (group.problem.empty()) group.problem = loaded.run.problem;
    check_one_problem(runs.front(), group.problem, run, loaded.run.problem);
    const Evaluation evaluation =
        evaluate(*loaded.problem, *loaded.policy,
                 derive_seed(static_cast<std::uint64_t>(args.seed), kEvaluationPurpose),
                 args.episodes, pool);
    group.algorithm = loaded.run.algorithm;
    group.seed_means.push_back(evaluation.mean());
    for (std::size_t e = 0; e < group.returns.size(); ++e) {
      group.returns[e] += evaluation.returns[e] / static_cast<double>(runs.size());
    }
  }
  return group;
}

Interval paired(const Group& a, const Group& b) {
  std::vector<double> gap(a.returns.size());
  for (std::size_t e = 0; e < gap.size(); ++e) gap[e] = a.returns[e] - b.returns[e];
  return over_episodes(gap);
}

std::string shown(const Interval& x) { return fmt::format("{:.2f} +- {:.2f}", x.mean, x.half); }

void print_table(const std::vector<Group>& groups) {
  std::vector<std::vector<std::string>> rows{
      {"run", "method", "seeds", "mean, over seeds", "over episodes", "best seed", "first - this"}};
  for (const Group& g : groups) {
    const Interval seeds = over_seeds(g.seed_means);
    const bool few = g.seed_means.size() < 3;
    rows.push_back(
        {g.directory, g.algorithm, fmt::to_string(g.seed_means.size()),
         few ? fmt::format("{:.2f} (not enough seeds)", seeds.mean) : shown(seeds),
         shown(over_episodes(g.returns)),
         fmt::format("{:.2f}", *std::max_element(g.seed_means.begin(), g.seed_means.end())),
         &g == &groups.front() ? "-" : shown(paired(groups.front(), g))});
  }
  fmt::print("{}", aligned(rows, {2, 3, 4, 5, 6}));
}

Json group_json(const Group& g, const Group& first) {
  const auto interval = [](const Interval& x) { return Json{{"mean", x.mean}, {"ci95", x.half}}; };
  Json out{{"run", g.directory}, {"problem", g.problem}, {"algorithm", g.algorithm}};
  out["seed_means"] = g.seed_means;
  out["over_seeds"] = g.seed_means.size() < 3 ? Json() : interval(over_seeds(g.seed_means));
  out["over_episodes"] = interval(over_episodes(g.returns));
  out["first_minus_this"] = interval(paired(first, g));
  return out;
}

int compare(const CompareArguments& args) {
  ThreadPool pool(static_cast<int>(args.threads));
  std::vector<Group> groups;
  for (const std::string& directory : args.directories) {
    groups.push_back(measure_group(directory, args, pool));
    check_one_problem(groups.front().directory, groups.front().problem, directory,
                      groups.back().problem);
  }
  if (args.json) {
    Json out{{"episodes", args.episodes}, {"eval_seed", args.seed}, {"greedy", args.greedy}};
    for (const Group& g : groups) out["runs"].push_back(group_json(g, groups.front()));
    fmt::print("{}\n", out.dump(2));
    return 0;
  }
  print_table(groups);
  fmt::print(
      "{}: {} common episodes of seed {}, 95 % intervals; differences are paired by episode, of "
      "the means over seeds\n",
      groups.front().problem, args.episodes, args.seed);
  return 0;
}

}  // namespace

Verb add_compare(CLI::App& root) {
  CLI::App* app = root.add_subcommand("compare", "policies side by side on the same episodes");
  const auto args = std::make_shared<CompareArguments>();
  app->add_option("directories", args->directories, "runs, or parents of seed-* runs")
      ->required()
      ->type_name("DIR...");
  add_integer(*app, "--episodes", args->episodes, 2, 10'000'000, "fresh episodes");
  add_integer(*app, "--seed", args->seed, 0, kMaxSeed, "of the episodes, as in `bpo eval`");
  app->add_flag("--greedy", args->greedy, "always take the most probable action");
  add_sets(*app, args->sets, "another world: problem.KEY=VALUE; repeatable");
  add_threads(*app, args->threads);
  add_json(*app, args->json);
  app->footer(
      "Example:\n"
      "  bpo compare runs/lightdark-bpo runs/lightdark-up-mle\n"
      "Every run is compared with the first one named.");
  return {app, [args] { return compare(*args); }};
}

}  // namespace bpo::cli
