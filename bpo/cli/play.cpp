// `bpo play`: one episode of a policy, step by step.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "bpo/cli/arguments.h"
#include "bpo/cli/belief_bars.h"
#include "bpo/cli/result.h"
#include "bpo/cli/table.h"
#include "bpo/cli/verbs.h"
#include "bpo/cli/world.h"
#include "bpo/core/simulate.h"

namespace bpo::cli {
namespace {

struct PlayArguments {
  std::string directory;
  std::int64_t seed = 0, episode = 0;
  bool trace = false, greedy = false, json = false;
  std::vector<std::string> sets;
};

struct Moment {
  int t = 0;
  std::vector<float> obs, belief, latent;
  double belief_entropy = 0.0;
  std::string action;
  double reward = 0.0, total = 0.0;  // discounted, up to and including this step
};

std::vector<float> copy(std::span<const float> values) { return {values.begin(), values.end()}; }

std::vector<Moment> play_episode(const LoadedPolicy& loaded, const PlayArguments& args) {
  const AnyProblem& problem = *loaded.problem;
  const ProblemSpec& spec = problem.spec();
  const auto world = problem.make_world();
  const auto actor = loaded.policy->make_actor();
  std::vector<Moment> moments;
  double weight = 1.0, total = 0.0;
  const Episodes episode{derive_seed(static_cast<std::uint64_t>(args.seed), kEvaluationPurpose),
                         static_cast<std::uint64_t>(args.episode), 1};
  simulate(
      *world, *actor, episode, LatentSource::kPrior,
      [&](const World& w, const Actions& actions) {
        moments.push_back({.t = w.time(),
                           .obs = copy(w.obs()[0]),
                           .belief = copy(w.belief()[0]),
                           .latent = copy(w.latent()[0]),
                           .belief_entropy = w.belief_entropy(0),
                           .action = spec.actions.discrete() ? spec.actions.names[actions.index[0]]
                                                             : compact(actions.box[0])});
      },
      [&](const World& w, const Actions&) {
        total += weight * w.reward(0);
        weight *= spec.discount;
        moments.back().reward = w.reward(0);
        moments.back().total = total;
      });
  return moments;
}

std::string observation(const Moment& m, const ProblemSpec& spec) {
  if (spec.obs_names.empty()) return compact(m.obs);
  const auto top = std::max_element(m.obs.begin(), m.obs.begin() + spec.obs_names.size());
  return spec.obs_names[top - m.obs.begin()];
}

void print_trace(const std::vector<Moment>& moments, const ProblemSpec& spec) {
  std::vector<std::vector<std::string>> rows{
      {"t", "latent", "observation", "belief", "action", "reward", "return"}};
  for (const Moment& m : moments) {
    rows.push_back({fmt::to_string(m.t), compact(m.latent), observation(m, spec),
                    belief_bars(m.belief, spec.estimate_dim), m.action,
                    fmt::format("{:g}", m.reward), fmt::format("{:.4f}", m.total)});
  }
  fmt::print("{}", aligned(rows, {0, 5, 6}));
}

Json trace_json(const std::vector<Moment>& moments) {
  Json steps = Json::array();
  for (const Moment& m : moments) {
    steps.push_back({{"t", m.t},
                     {"latent", m.latent},
                     {"observation", m.obs},
                     {"belief", m.belief},
                     {"belief_entropy", m.belief_entropy},
                     {"action", m.action},
                     {"reward", m.reward},
                     {"return", m.total}});
  }
  return steps;
}

int play(const PlayArguments& args) {
  const LoadedPolicy loaded = load_policy(args.directory, args.sets, args.greedy);
  const std::vector<Moment> moments = play_episode(loaded, args);
  const RunIdentity& run = loaded.run;
  const double total = moments.empty() ? 0.0 : moments.back().total;
  if (args.json) {
    Json out{{"problem", run.problem}, {"algorithm", run.algorithm}, {"seed", run.seed},
             {"eval_seed", args.seed}, {"episode", args.episode},    {"greedy", loaded.greedy},
             {"return", total},        {"length", moments.size()}};
    if (args.trace) out["steps"] = trace_json(moments);
    fmt::print("{}\n", out.dump(2));
    return 0;
  }
  if (args.trace) print_trace(moments, loaded.problem->spec());
  fmt::print("{} {} seed {}: episode {} of seed {}, {} steps, return {:.4f}\n", run.problem,
             run.algorithm, run.seed, args.episode, args.seed, moments.size(), total);
  return 0;
}

}  // namespace

Verb add_play(CLI::App& root) {
  CLI::App* app = root.add_subcommand("play", "one episode of a policy");
  const auto args = std::make_shared<PlayArguments>();
  app->add_option("directory", args->directory, "the run directory")->required()->type_name("DIR");
  app->add_flag("--trace", args->trace, "every step: observation, belief, action, reward, return");
  add_integer(*app, "--seed", args->seed, 0, kMaxSeed, "as in `bpo eval`");
  add_integer(*app, "--episode", args->episode, 0, kMaxSeed, "which episode of that seed");
  app->add_flag("--greedy", args->greedy, "always take the most probable action");
  add_sets(*app, args->sets, "another world: problem.KEY=VALUE; repeatable");
  add_json(*app, args->json);
  app->footer(
      "Example:\n"
      "  bpo play runs/tiger-0 --trace\n"
      "Episode N is episode N of `bpo eval` with the same --seed. A belief of two or three cells\n"
      "is shown as a bar per cell, a larger one as at most 16 columns, the likeliest darkest (@).");
  return {app, [args] { return play(*args); }};
}

}  // namespace bpo::cli
