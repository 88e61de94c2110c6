// `bpo bench`: steps per second, and a signature of the results.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "bpo/cli/arguments.h"
#include "bpo/cli/print.h"
#include "bpo/cli/progress.h"
#include "bpo/cli/verbs.h"
#include "bpo/core/json.h"
#include "bpo/core/machine.h"
#include "bpo/core/problem_file.h"
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
  bool json = false;
};

/// What is to be measured: what was named, or all, or what the policy of --policy was trained on.
std::vector<std::string> names_of(const BenchArguments& args, const LoadedPolicy* run) {
  std::vector<std::string> named;
  for (const std::string& problem : args.problems) named.push_back(open_problem(problem));
  if (run == nullptr) return named.empty() ? problems().names() : named;
  for (const std::string& name : named) {
    if (name == run->run.problem) continue;
    throw bad_input(
        fmt::format("--policy {}: trained on {}, not on {}", args.policy, run->run.problem, name));
  }
  if (!run->problem->spec().simulated) {
    throw bad_input(
        fmt::format("--policy {}: only a robot's belief costs what its policy makes of it; bench "
                    "{} without --policy",
                    args.policy, run->run.problem));
  }
  return {run->run.problem};
}

int bench(const BenchArguments& args) {
  std::optional<LoadedPolicy> loaded;
  if (!args.policy.empty()) loaded = load_run(args.policy);
  const LoadedPolicy* run = loaded ? &*loaded : nullptr;
  const std::vector<std::string> names = names_of(args, run);
  ThreadPool pool(static_cast<int>(args.threads));
  Json out{{"problems", Json::object()}};
  const double peak = measure_peak_gflops(args.seconds / kBenchmarkWindows / 2, kBenchmarkWindows);
  report::Rows table{report::kThroughputHeader};
  std::string notes;
  for (const std::string& name : names) {
    const Waiting waiting("measuring " + name);
    const Throughput t = measure_throughput(name, run, args.seconds, pool);
    out["problems"][name] = report::throughput_json(t);
    notes += report::belief_note(name, t);
    table.push_back(report::throughput_row(name, t, peak));
  }
  const Machine machine = this_machine();
  const std::string sign = signature(pool);
  out["peak_gflops"] = peak;
  out["threads"] = args.threads;
  out["isa"] = machine.instruction_set;
  out["signature"] = sign;
  out["cpu"] = machine.cpu;
  out["commit"] = machine.commit;
  if (args.json) {
    print(json_text(out));
    return 0;
  }
  print(fmt::format("{}{}peak of one core {:.0f} GFLOP/s, {} thread(s), {}, {}\nsignature {}\n",
                    report::aligned(table, {1, 2, 3, 4}), notes, peak, args.threads,
                    machine.instruction_set, machine.cpu, sign));
  print(
      "nominal: the arithmetic of one pass per step; equal inputs share theirs, so the share "
      "can exceed 100 %\n");
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
  add_threads(*app, args->threads);
  add_number(*app, "--seconds", args->seconds, 0.001, 3600.0, "time of each measurement");
  add_json(*app, args->json);
  app->footer(
      "Examples:\n"
      "  bpo bench tiger --json\n"
      "  bpo bench half-cheetah --policy runs/cheetah\n"
      "The signature covers every problem; it depends on neither time nor threads.");
  return {app, [args] { return bench(*args); }};
}

}  // namespace bpo::cli
