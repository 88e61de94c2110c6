// `bpo play`: one episode of policies, step by step, or drawn.
#include <fmt/format.h>

#include <memory>

#include "bpo/cli/arguments.h"
#include "bpo/cli/verbs.h"
#include "bpo/core/file.h"
#include "bpo/report/room.h"
#include "bpo/report/trace_text.h"
#include "bpo/runs/loaded.h"
#include "bpo/runs/recorded.h"
#include "bpo/terminal/print.h"

namespace bpo::cli {
namespace {

struct PlayArguments {
  std::vector<std::string> directories;
  Protocol protocol;
  std::int64_t episode = 0;  // becomes the protocol's
  bool trace = false, json = false;
  std::string svg, log;
};

/// One of the runs, played.
struct Played {
  std::string directory;
  RunIdentity run;
  Trace trace;
};

void write_log(const PlayArguments& args) {
  LoadedPolicy loaded = load_run(args.directories[0], args.protocol.sets, args.protocol.greedy);
  const RecordingFormat format = recording_format(loaded.run.problem);
  const Recording log = record(std::move(loaded), static_cast<std::uint64_t>(args.protocol.seed),
                               static_cast<std::uint64_t>(args.episode));
  write_file_atomic(args.log, recording_text(log, format), Links::kFollowed);
}

Played play_run(const std::string& directory, const PlayArguments& args) {
  const LoadedPolicy loaded = load_run(directory, args.protocol.sets, args.protocol.greedy);
  if (!args.svg.empty() && !loaded.problem->view().room) {
    throw bad_input(fmt::format("play --svg draws rooms; {} has none; use --trace",
                                loaded.problem->spec().name));
  }
  return {directory, loaded.run,
          trace_episode(*loaded.problem, *loaded.policy, args.protocol.episode_seed(),
                        static_cast<std::uint64_t>(args.episode))};
}

void draw(const std::vector<Played>& all, const PlayArguments& args) {
  std::vector<report::RoomPanel> panels;
  for (const Played& played : all) {
    const std::string title = fmt::format("{}, seed {}", played.run.algorithm, played.run.seed);
    panels.push_back(report::room_panel(played.trace, title, played.directory));
  }
  write_file_atomic(
      args.svg,
      report::room_figure(
          panels, fmt::format("{}, episode {} of seed {}{}", all[0].run.problem, args.episode,
                              args.protocol.seed, args.protocol.greedy ? ", greedy" : "")),
      Links::kFollowed);
}

int play(const PlayArguments& args) {
  if (args.directories.size() > 1 && args.svg.empty()) {
    throw bad_input("play takes one run directory, or several with --svg FILE");
  }
  std::vector<Played> all;
  for (const std::string& directory : args.directories) all.push_back(play_run(directory, args));
  if (!args.svg.empty()) draw(all, args);
  if (!args.log.empty()) write_log(args);
  if (args.json) {
    Json runs = Json::array();
    for (const Played& played : all) {
      runs.push_back(report::episode_json(played.run, args.protocol, played.trace));
      if (args.trace) runs.back()["steps"] = report::trace_json(played.trace);
    }
    terminal::print(json_text(all.size() == 1 ? runs[0] : runs));
    return 0;
  }
  for (const Played& played : all) {
    if (args.trace) terminal::print(report::trace_text(played.trace));
    terminal::print(report::episode_text(played.run, args.protocol, played.trace));
    if (args.trace && all.size() > 1) terminal::print("\n");
  }
  return 0;
}

}  // namespace

Verb add_play(CLI::App& root) {
  CLI::App* app = root.add_subcommand("play", "one episode of a policy");
  const auto args = std::make_shared<PlayArguments>();
  add_paths(*app, "directory", args->directories, "the run directory; several with --svg")
      ->required()
      ->type_name("DIR");
  app->add_flag("--trace", args->trace, "every step: observation, belief, action, reward, return");
  add_path(*app, "--svg", args->svg, "draw the room, a panel per run, into this file")
      ->type_name("FILE");
  add_path(*app, "--log", args->log, "record a robot's episode, for `bpo identify`")
      ->type_name("FILE.csv");
  add_episode_seed(*app, args->protocol);
  add_integer(*app, "--episode", args->episode, 0, kMaxSeed,
              "the number of an episode of that seed");
  add_other_world(*app, args->protocol);
  add_json(*app, args->json);
  app->footer(
      "Examples:\n"
      "  bpo play runs/tiger-0 --trace\n"
      "  bpo play runs/lightdark-bpo-0 runs/lightdark-up-mle-0 --episode 3 --svg room.svg\n"
      "Episode N is episode N of `bpo eval` with the same --seed; every run meets the same random\n"
      "numbers in it. A belief of two or three cells is shown as a bar per cell, a larger one as "
      "at\n"
      "most 16 columns, the likeliest darkest (@), a position as mean and standard deviation.");
  return {app, [args] {
            args->protocol.episode = args->episode;
            return play(*args);
          }};
}

}  // namespace bpo::cli
