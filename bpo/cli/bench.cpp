// `bpo bench`: steps per second, and a signature of the results.
#include <memory>
#include <optional>

#include "bpo/cli/arguments.h"
#include "bpo/cli/print.h"
#include "bpo/cli/progress.h"
#include "bpo/cli/verbs.h"
#include "bpo/core/json.h"
#include "bpo/report/agreement_text.h"
#include "bpo/report/throughput_text.h"
#include "bpo/runs/benchmark.h"
#include "bpo/runs/peak.h"

namespace bpo::cli {
namespace {

struct BenchArguments {
  std::vector<std::string> problems;
  std::string policy;
  std::int64_t threads = 1;
  double seconds = 2.0;
  bool agreement = false, json = false;
};

constexpr std::int64_t kAgreementEpisodes = 500;

int agreement(const BenchArguments& args, const std::vector<std::string>& names, ThreadPool& pool) {
  Json out{{"problems", Json::object()}};
  std::string text;
  for (const std::string& name : names) {
    if (!has_two_simulators(name)) {
      if (args.problems.empty()) continue;
      throw bad_input("--agreement: " + name + " does not move on lanes; half-cheetah does");
    }
    const Waiting waiting("comparing " + name);
    const Agreement found = measure_agreement(name, args.policy, kAgreementEpisodes, pool);
    out["problems"][name] = report::agreement_json(found);
    text += report::agreement_text(name, found);
  }
  if (text.empty()) throw bad_input("--agreement: there is no robot here; MuJoCo is not built in");
  print(args.json ? json_text(out) : text);
  return 0;
}

int bench(const BenchArguments& args) {
  std::optional<LoadedPolicy> loaded;
  if (!args.policy.empty()) loaded = load_run(args.policy);
  const LoadedPolicy* run = loaded ? &*loaded : nullptr;
  const std::vector<std::string> names = benchmarked(args.problems, run);
  ThreadPool pool(static_cast<int>(args.threads));
  if (args.agreement) return agreement(args, names, pool);
  Json out{{"problems", Json::object()}};
  report::BenchmarkNotes about{.threads = args.threads};
  about.peak_gflops = measure_peak_gflops(args.seconds / kBenchmarkWindows / 2, kBenchmarkWindows);
  report::Rows table{report::kThroughputHeader};
  std::string notes;
  for (const std::string& name : names) {
    const Waiting waiting("measuring " + name);
    const Throughput t = measure_throughput(name, run, args.seconds, pool);
    out["problems"][name] = report::throughput_json(t);
    notes += report::belief_note(name, t);
    table.push_back(report::throughput_row(name, t, about.peak_gflops));
  }
  about.signature = signature(pool);
  report::add_notes(about, out);
  print(args.json ? json_text(out)
                  : report::aligned(table, {1, 2, 3, 4}) + notes + report::notes_text(about));
  return 0;
}

}  // namespace

Verb add_bench(CLI::App& root) {
  CLI::App* app = root.add_subcommand("bench", "steps per second, and a signature of the results");
  const auto args = std::make_shared<BenchArguments>();
  app->add_option("problems", args->problems, "which problems; all when absent");
  add_path(*app, "--policy", args->policy,
           "a robot's run whose policy acts where the cost of its belief is measured")
      ->type_name("DIR");
  app->add_flag(
      "--agreement", args->agreement,
      "how far robots on lanes are from MuJoCo's; with --policy also in its gait and mean");
  add_threads(*app, args->threads);
  add_number(*app, "--seconds", args->seconds, 0.001, 3600.0, "time of each measurement");
  add_json(*app, args->json);
  app->footer(
      "Examples:\n"
      "  bpo bench tiger --json\n"
      "  bpo bench half-cheetah --policy runs/cheetah\n"
      "  bpo bench half-cheetah --agreement\n"
      "The signature covers every problem; it depends on neither time nor threads.");
  return {app, [args] { return bench(*args); }};
}

}  // namespace bpo::cli
