// `bpo play`: one episode of policies, step by step, or drawn.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "bpo/cli/arguments.h"
#include "bpo/cli/result.h"
#include "bpo/cli/trace.h"
#include "bpo/cli/verbs.h"
#include "bpo/cli/world.h"
#include "bpo/core/file.h"
#include "bpo/core/simulate.h"
#include "bpo/report/room.h"

namespace bpo::cli {
namespace {

struct PlayArguments {
  std::vector<std::string> directories;
  std::int64_t seed = 0, episode = 0;
  bool trace = false, greedy = false, json = false;
  std::vector<std::string> sets;
  std::optional<std::string> svg;
};

std::vector<float> copy(std::span<const float> values) { return {values.begin(), values.end()}; }

Trace play_episode(const LoadedPolicy& loaded, const PlayArguments& args) {
  const AnyProblem& problem = *loaded.problem;
  const ProblemSpec& spec = problem.spec();
  const auto world = problem.make_world();
  const auto actor = loaded.policy->make_actor();
  Trace trace{.spec = spec};
  double weight = 1.0;
  const Episodes episode{derive_seed(static_cast<std::uint64_t>(args.seed), kEvaluationPurpose),
                         static_cast<std::uint64_t>(args.episode), 1};
  const auto look = [&](const World& w) {
    return Sight{.obs = copy(w.obs()[0]),
                 .belief = copy(w.belief()[0]),
                 .latent = copy(w.latent()[0]),
                 .belief_entropy = w.belief_entropy(0)};
  };
  simulate(
      *world, *actor, episode, LatentSource::kPrior,
      [&](const World& w, const Actions& actions) {
        Moment m{.t = w.time(), .sight = look(w)};
        if (spec.actions.discrete()) {
          m.action = actions.index[0];
        } else {
          m.box = copy(actions.box[0]);
        }
        trace.moments.push_back(m);
      },
      [&](const World& w, const Actions&) {
        trace.total += weight * w.reward(0);
        weight *= spec.discount;
        trace.moments.back().reward = w.reward(0);
        trace.moments.back().total = trace.total;
        trace.end = look(w);
      });
  return trace;
}

/// One of the runs, played.
struct Played {
  std::string directory;
  RunIdentity run;
  Trace trace;
};

Played play_run(const std::string& directory, const PlayArguments& args) {
  const LoadedPolicy loaded = load_policy(directory, args.sets, args.greedy);
  const ProblemSpec& spec = loaded.problem->spec();
  if (args.svg && !spec.room) {
    throw bad_input(fmt::format("play --svg draws rooms; {} has none; use --trace", spec.name));
  }
  return {directory, loaded.run, play_episode(loaded, args)};
}

report::RoomPanel panel(const Played& played) {
  const Trace& trace = played.trace;
  const Room& room = *trace.spec.room;
  const auto point = [](const std::vector<float>& v, int at) {
    return report::Point{v[at], v[at + 1]};
  };
  report::RoomPanel out{.title = fmt::format("{}, seed {}", played.run.algorithm, played.run.seed),
                        .source = played.directory,
                        .room = room,
                        .goal = point(trace.end.obs, room.goal),
                        .total = trace.total};
  const auto add = [&](const Sight& sight) {
    out.positions.push_back(point(sight.latent, 0));
    out.means.push_back(point(sight.belief, 0));
    out.variances.push_back(sight.belief[2]);
  };
  for (const Moment& m : trace.moments) add(m.sight);
  add(trace.end);
  return out;
}

void draw(const std::vector<Played>& all, const PlayArguments& args) {
  std::vector<report::RoomPanel> panels;
  for (const Played& played : all) panels.push_back(panel(played));
  write_file_atomic(
      *args.svg, report::room_figure(
                     panels, fmt::format("{}, episode {} of seed {}{}", all[0].run.problem,
                                         args.episode, args.seed, args.greedy ? ", greedy" : "")));
}

Json played_json(const Played& played, const PlayArguments& args) {
  const RunIdentity& run = played.run;
  Json out{{"problem", run.problem},
           {"algorithm", run.algorithm},
           {"seed", run.seed},
           {"eval_seed", args.seed},
           {"episode", args.episode},
           {"greedy", args.greedy},
           {"return", played.trace.total},
           {"length", played.trace.moments.size()}};
  if (args.trace) out["steps"] = played.trace.json();
  return out;
}

int play(const PlayArguments& args) {
  if (args.directories.size() > 1 && !args.svg) {
    throw bad_input("play takes one run directory, or several with --svg FILE");
  }
  if (args.svg && args.svg->empty()) throw bad_input("--svg: needs the name of a file");
  std::vector<Played> all;
  for (const std::string& directory : args.directories) all.push_back(play_run(directory, args));
  if (args.svg) draw(all, args);
  if (args.json) {
    Json runs = Json::array();
    for (const Played& played : all) runs.push_back(played_json(played, args));
    fmt::print("{}\n", (all.size() == 1 ? runs[0] : runs).dump(2));
    return 0;
  }
  for (const Played& played : all) {
    if (args.trace) fmt::print("{}", played.trace.text());
    fmt::print("{} {} seed {}: episode {} of seed {}, {} steps, return {:.4f}\n",
               played.run.problem, played.run.algorithm, played.run.seed, args.episode, args.seed,
               played.trace.moments.size(), played.trace.total);
    if (args.trace && all.size() > 1) fmt::print("\n");
  }
  return 0;
}

}  // namespace

Verb add_play(CLI::App& root) {
  CLI::App* app = root.add_subcommand("play", "one episode of a policy");
  const auto args = std::make_shared<PlayArguments>();
  app->add_option("directory", args->directories, "the run directory; several with --svg")
      ->required()
      ->type_name("DIR");
  app->add_flag("--trace", args->trace, "every step: observation, belief, action, reward, return");
  app->add_option("--svg", args->svg, "draw the room, a panel per run, into this file")
      ->type_name("FILE");
  add_integer(*app, "--seed", args->seed, 0, kMaxSeed, "as in `bpo eval`");
  add_integer(*app, "--episode", args->episode, 0, kMaxSeed, "which episode of that seed");
  app->add_flag("--greedy", args->greedy, "always take the most probable action");
  add_sets(*app, args->sets, "another world: problem.KEY=VALUE; repeatable");
  add_json(*app, args->json);
  app->footer(
      "Examples:\n"
      "  bpo play runs/tiger-0 --trace\n"
      "  bpo play runs/lightdark-bpo runs/lightdark-up-mle --episode 3 --svg room.svg\n"
      "Episode N is episode N of `bpo eval` with the same --seed; every run meets the same random\n"
      "numbers in it. A belief of two or three cells is shown as a bar per cell, a larger one as "
      "at\n"
      "most 16 columns, the likeliest darkest (@), a position as mean and standard deviation.");
  return {app, [args] { return play(*args); }};
}

}  // namespace bpo::cli
