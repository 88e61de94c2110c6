// `bpo bench`: steps per second, at the paper's settings where the world is a table and at a
// robot's own, and a signature of the results: two builds with equal signatures compute the same
// bits.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

#include "bpo/algorithms/train.h"
#include "bpo/cli/arguments.h"
#include "bpo/cli/measure.h"
#include "bpo/cli/peak.h"
#include "bpo/cli/print.h"
#include "bpo/cli/progress.h"
#include "bpo/cli/verbs.h"
#include "bpo/cli/world.h"
#include "bpo/core/hash.h"
#include "bpo/core/simulate.h"
#include "bpo/report/table.h"

namespace bpo::cli {
namespace {

constexpr int kWindows = 3, kWarmUp = 3;
constexpr std::int64_t kSignatureIterations = 5;
constexpr std::int64_t kConjugateGradients = 10;

/// How much work is bearable: the steps of a simulator take a thousand times longer.
struct Size {
  std::int64_t iterations;  // training is measured on these over and over
  std::int64_t episodes, batch_steps;
};
constexpr Size kTable{40, 10 * kLanes, 10'000}, kSimulated{5, 24, 400};

bool is_simulated(const std::string& problem) {
  Config config;
  return problems().at(problem).make(config)->spec().simulated;
}

/// Training without end or validation, with all else as it is.
Config endless() {
  Config config;
  config.set("algo.iterations=1000000");
  config.set("algo.validate_every=1000000");
  return config;
}

/// The paper's: 10,000 steps, 32 units, TRPO with exact Fisher products, rllab's linear baseline.
TrainSetup paper_setup(const std::string& problem) {
  Config config = endless();
  for (const char* set : {"optimizer.kind=trpo", "optimizer.cg_subsample=1.0", "algo.hidden=32",
                          "algo.baseline=linear"}) {
    config.set(set);
  }
  config.set(fmt::format("optimizer.batch_steps={}",
                         (is_simulated(problem) ? kSimulated : kTable).batch_steps));
  config.set(fmt::format("optimizer.cg_iterations={}", kConjugateGradients));
  return make_setup(problem, "bpo", config);
}

TrainSetup usual_setup(const std::string& problem) {
  Config config = endless();
  return make_setup(problem, "bpo", config);
}

struct BenchArguments {
  std::vector<std::string> problems;
  std::string policy;
  std::int64_t threads = 1;
  double seconds = 2.0;
  bool json = false;
};

/// The best rate over windows of `seconds`; `work` does something and returns how many steps it
/// was.
template <class Work>
double best_rate(double seconds, Work work) {
  double best = 0.0;
  for (int w = 0; w < kWindows; ++w) {
    const Clock::time_point start = Clock::now();
    double steps = 0.0, elapsed = 0.0;
    do {
      steps += static_cast<double>(work());
      elapsed = std::chrono::duration<double>(Clock::now() - start).count();
    } while (elapsed < seconds);
    best = std::max(best, steps / elapsed);
  }
  return best;
}

/// What the belief costs where likelihoods are simulated, on the same episodes with and without.
struct BeliefCost {
  double plain = 0.0, belief = 0.0;  // steps per second of the world alone
  double models = 0.0;               // simulated per step
  double ratio() const { return plain / belief; }
};

BeliefCost belief_cost(const AnyProblem& problem, const Policy& policy, double seconds) {
  const auto world = problem.make_world(), plain = problem.make_plain_world();
  const auto actor = policy.make_actor();
  Actions actions(problem.spec().actions.dim);
  double steps = 0.0, with = 0.0, without = 0.0;
  const auto timed_step = [&](World& w, double& total) {
    const Clock::time_point start = Clock::now();
    w.step(actions);
    total += std::chrono::duration<double>(Clock::now() - start).count();
  };
  for (std::uint64_t seed = 0; with + without < seconds || seed == 0; ++seed) {
    const Episodes episodes{seed, 0, 8};
    world->reset(episodes, LatentSource::kPrior);
    plain->reset(episodes, LatentSource::kPrior);
    actor->begin(world->inputs());
    while (!world->all_done()) {
      actor->act(world->inputs(), actions);
      for (int lane = 0; lane < episodes.count; ++lane) steps += !world->done(lane);
      timed_step(*world, with);
      timed_step(*plain, without);
    }
  }
  return {steps / without, steps / with,
          static_cast<double>(world->simulated_likelihoods()) / steps};
}

/// Under the policy of a run, if one is named.
BeliefCost belief_cost(const std::string& run, const AnyProblem& problem, const Policy& policy,
                       double seconds) {
  if (run.empty()) return belief_cost(problem, policy, seconds);
  const LoadedPolicy loaded = load_policy(run, {}, false);
  return belief_cost(*loaded.problem, *loaded.policy, seconds);
}

/// What is to be measured: what was named, or all, or what the policy of --policy was trained on.
std::vector<std::string> names_of(const BenchArguments& args) {
  for (const std::string& name : args.problems) problems().at(name);
  if (args.policy.empty()) return args.problems.empty() ? problems().names() : args.problems;
  const LoadedPolicy loaded = load_policy(args.policy, {}, false);
  for (const std::string& name : args.problems) {
    if (name == loaded.run.problem) continue;
    throw bad_input(fmt::format("--policy {}: trained on {}, not on {}", args.policy,
                                loaded.run.problem, name));
  }
  if (!loaded.problem->spec().simulated) {
    throw bad_input(
        fmt::format("--policy {}: only a robot's belief costs what its policy makes of it; bench "
                    "{} without --policy",
                    args.policy, loaded.run.problem));
  }
  return {loaded.run.problem};
}

struct Throughput {
  double rollout = 0.0, train = 0.0;  // steps per second
  std::optional<double> train_gflops;
  std::optional<BeliefCost> belief;
};

Throughput measure(const std::string& problem, const BenchArguments& args, ThreadPool& pool) {
  const double seconds = args.seconds / kWindows;
  const bool simulated = is_simulated(problem);
  const Size& size = simulated ? kSimulated : kTable;
  const TrainSetup setup = simulated ? usual_setup(problem) : paper_setup(problem);
  Trainer trainer(*setup.problem, setup.method, setup.train, setup.optimizer, 0, pool);
  const TrainState start = trainer.save();
  for (int i = 0; i < kWarmUp; ++i) trainer.iterate();
  const auto iterate = [&] {
    if (trainer.iteration() >= size.iterations) trainer.load(start);
    const std::int64_t before = trainer.state().steps;
    trainer.iterate();
    return trainer.state().steps - before;
  };
  Throughput out;
  out.train = best_rate(seconds, iterate);
  while (trainer.iteration() < size.iterations) trainer.iterate();
  const NetworkPolicy policy = trainer.current_policy();
  std::uint64_t seed = 0;
  const auto roll = [&] {
    return evaluate(*setup.problem, policy, ++seed, size.episodes, pool).steps;
  };
  roll();
  out.rollout = best_rate(seconds, roll);
  if (simulated) {
    out.belief = belief_cost(args.policy, *setup.problem, policy, seconds);
    return out;
  }
  // Per step: one forward pass to act, three times that for the gradient, four times for each
  // Fisher product, one for the line search; a pass is two operations per parameter.
  const auto parameters = static_cast<double>(policy.network().parameters());
  out.train_gflops = out.train * 2.0 * parameters * (5.0 + 4.0 * kConjugateGradients) / 1e9;
  return out;
}

/// Hash of the parameters after a few iterations on each problem.
std::string signature(ThreadPool& pool) {
  Hash hash;
  for (const std::string& problem : problems().names()) {
    const TrainSetup setup = paper_setup(problem);
    Trainer trainer(*setup.problem, setup.method, setup.train, setup.optimizer, 0, pool);
    for (std::int64_t i = 0; i < kSignatureIterations; ++i) trainer.iterate();
    hash.add(std::as_bytes(std::span(trainer.state().theta)));
  }
  return hash.text();
}

int bench(const BenchArguments& args) {
  const std::vector<std::string> names = names_of(args);
  const double window = args.seconds / kWindows;
  ThreadPool pool(static_cast<int>(args.threads));
  Json out{{"problems", Json::object()}};
  const double peak = measure_peak_gflops(window / 2, kWindows);
  std::vector<std::vector<std::string>> table{
      {"problem", "rollout steps/s", "train steps/s", "nominal GFLOP/s", "of peak"}};
  std::string notes;
  for (const std::string& name : names) {
    const Waiting waiting("measuring " + name, false);
    const Throughput t = measure(name, args, pool);
    out["problems"][name] = {{"rollout_steps_per_s", t.rollout},
                             {"train_steps_per_s", t.train},
                             {"train_gflops", number_or_null(t.train_gflops)}};
    if (t.belief) {
      Json& entry = out["problems"][name];
      entry["plain_steps_per_s"] = t.belief->plain;
      entry["belief_steps_per_s"] = t.belief->belief;
      entry["ratio"] = t.belief->ratio();
      entry["filter_models_per_step"] = t.belief->models;
      notes += fmt::format(
          "{}: {:.0f} plain and {:.0f} belief steps/s of the world alone, ratio {:.2f}, {:.2f} "
          "models per step\n",
          name, t.belief->plain, t.belief->belief, t.belief->ratio(), t.belief->models);
    }
    table.push_back(
        {name, fmt::format("{:.0f}", t.rollout), fmt::format("{:.0f}", t.train),
         t.train_gflops ? fmt::format("{:.0f}", *t.train_gflops) : "-",
         t.train_gflops ? fmt::format("{:.0f} %", 100.0 * *t.train_gflops / peak) : "-"});
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
