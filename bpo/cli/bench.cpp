// `bpo bench`: steps per second, and a signature of the results.
#include <functional>
#include <memory>
#include <optional>

#include "bpo/cli/arguments.h"
#include "bpo/cli/verbs.h"
#include "bpo/core/json.h"
#include "bpo/report/agreement_text.h"
#include "bpo/report/throughput_text.h"
#include "bpo/runs/benchmark.h"
#include "bpo/runs/peak.h"
#include "bpo/runs/posterior_agreement.h"
#include "bpo/terminal/print.h"
#include "bpo/terminal/progress.h"

namespace bpo::cli {
namespace {

struct BenchArguments {
  std::vector<std::string> problems;
  std::string policy;
  std::int64_t threads = 1;
  double seconds = 2.0;
  bool agreement = false, filter = false, json = false;
};

constexpr std::int64_t kAgreementEpisodes = 500;

/// What is compared of a robot rather than timed, in words and as JSON.
struct Compared {
  std::string text;
  Json json;
};
using Compare = std::function<Compared(const std::string& problem)>;

/// `option`: what a problem must have for that.
int compare_robots(const BenchArguments& args, const std::vector<std::string>& names,
                   const std::string& flag, const std::string& option, const Compare& compare) {
  Json out{{"problems", Json::object()}};
  std::string text;
  for (const std::string& name : names) {
    if (!has_option(name, option)) {
      if (args.problems.empty()) continue;
      throw bad_input(flag + ": " + name + " has no option " + option + "; half-cheetah has");
    }
    const terminal::Waiting waiting("comparing " + name);
    Compared found = compare(name);
    out["problems"][name] = std::move(found.json);
    text += found.text;
  }
  if (text.empty()) throw bad_input(flag + ": there is no robot here; MuJoCo is not built in");
  terminal::print(args.json ? json_text(out) : text);
  return 0;
}

int bench(const BenchArguments& args) {
  std::optional<LoadedPolicy> loaded;
  if (!args.policy.empty()) loaded = load_run(args.policy);
  const LoadedPolicy* run = loaded ? &*loaded : nullptr;
  const std::vector<std::string> names = benchmarked(args.problems, run);
  ThreadPool pool(static_cast<int>(args.threads));
  if (args.agreement) {
    return compare_robots(
        args, names, "--agreement", "problem.simulator", [&](const std::string& name) -> Compared {
          const Agreement found = measure_agreement(name, args.policy, kAgreementEpisodes, pool);
          return {report::agreement_text(name, found), report::agreement_json(found)};
        });
  }
  if (args.filter) {
    return compare_robots(
        args, names, "--filter", "problem.tolerance", [&](const std::string& name) -> Compared {
          const PosteriorAgreement found = compare_posteriors(name, run, kAgreementEpisodes, pool);
          return {report::posterior_text(name, found), report::posterior_json(found)};
        });
  }
  Json out{{"problems", Json::object()}};
  report::BenchmarkNotes about{.threads = args.threads};
  about.peak_gflops = measure_peak_gflops(args.seconds / kBenchmarkWindows / 2, kBenchmarkWindows);
  report::Rows table{report::kThroughputHeader};
  std::string notes;
  for (const std::string& name : names) {
    const terminal::Waiting waiting("measuring " + name);
    const Throughput t = measure_throughput(name, run, args.seconds, pool);
    out["problems"][name] = report::throughput_json(t);
    notes += report::belief_note(name, t);
    table.push_back(report::throughput_row(name, t, about.peak_gflops));
  }
  about.signature = signature(pool);
  report::add_notes(about, out);
  terminal::print(args.json
                      ? json_text(out)
                      : report::aligned(table, {1, 2, 3, 4}) + notes + report::notes_text(about));
  return 0;
}

}  // namespace

Verb add_bench(CLI::App& root) {
  CLI::App* app = root.add_subcommand("bench", "steps per second, and a signature of the results");
  const auto args = std::make_shared<BenchArguments>();
  app->add_option("problems", args->problems,
                  "the problems to measure, by name or as files; all when absent");
  add_path(*app, "--policy", args->policy,
           "a robot's run whose policy acts where the cost of its belief is measured")
      ->type_name("DIR");
  app->add_flag(
      "--agreement", args->agreement,
      "compare robots moved by lanes with MuJoCo's; with --policy also in its gait and its mean");
  app->add_flag(
      "--filter", args->filter,
      "compare a robot's belief, for which few models are simulated, with the full posterior: how "
      "often both have the same best cell, and how often it is right");
  add_threads(*app, args->threads);
  add_number(*app, "--seconds", args->seconds, 0.001, 3600.0,
             "seconds that each measurement takes");
  add_json(*app, args->json);
  app->footer(
      "Examples:\n"
      "  bpo bench tiger --json\n"
      "  bpo bench half-cheetah --policy runs/cheetah\n"
      "  bpo bench half-cheetah --agreement\n"
      "  bpo bench ant --filter --policy runs/ant\n"
      "The signature covers every problem; it depends on neither time nor threads.");
  return {app, [args] { return bench(*args); }};
}

}  // namespace bpo::cli
