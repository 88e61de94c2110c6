// `bpo reproduce`: the paper's tables and figures, ours beside the paper's. Makes the runs that are
// missing, measures them on common episodes, and writes a page and small result files.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <set>

#include "bpo/cli/arguments.h"
#include "bpo/cli/verbs.h"
#include "bpo/core/text.h"
#include "bpo/experiments/campaign_record.h"
#include "bpo/experiments/document.h"
#include "bpo/experiments/overview.h"
#include "bpo/experiments/paper_page.h"
#include "bpo/experiments/results.h"
#include "bpo/terminal/campaign_progress.h"
#include "bpo/terminal/print.h"
#include "bpo/terminal/signals.h"

namespace bpo::cli {
namespace {

using experiments::Experiment;

struct ReproduceArguments {
  std::vector<std::string> items, sets, only, comparable;
  std::string out = "runs/reproduce", shard = "1/1", into;
  std::string tables, document;  // --tables and -o
  std::int64_t seeds = 0, episodes = 0, threads = 0;
  bool quick = false, list = false, quiet = false, json = false;
};

experiments::Scale scale_of(const ReproduceArguments& args) {
  experiments::Scale scale{.quick = args.quick, .sets = args.sets};
  if (args.seeds > 0) scale.seeds = static_cast<int>(args.seeds);
  if (args.episodes > 0) scale.episodes = args.episodes;
  return scale;
}

/// The tasks of series whose names begin with one of these; all if there are none.
std::vector<Task> tasks_of_series(std::vector<Task> tasks, const std::vector<std::string>& only) {
  for (const std::string& begin : only) {
    const auto begins = [&](const Task& t) { return t.series.directory().starts_with(begin); };
    if (std::any_of(tasks.begin(), tasks.end(), begins)) continue;
    std::vector<std::string> names;
    for (const Task& task : tasks) names.push_back(task.series.problem);
    throw bad_input(fmt::format("--only {}: no series begins so{}; one is {}", begin.substr(0, 60),
                                did_you_mean(begin, names), tasks.front().series.directory()));
  }
  std::erase_if(tasks, [&](const Task& task) {
    const std::string name = task.series.directory();
    return !only.empty() && std::none_of(only.begin(), only.end(), [&](const std::string& begin) {
      return name.starts_with(begin);
    });
  });
  return tasks;
}

int reproduce(const ReproduceArguments& args) {
  if (!args.tables.empty()) {
    experiments::refresh_tables(args.document, args.tables);
    return 0;
  }
  const std::vector<const Experiment*> items = experiments::items_of(args.items);
  const experiments::Scale scale = scale_of(args);
  if (args.list) {
    const std::vector<experiments::Cost> costs = experiments::costs_of(args.items, scale);
    terminal::print(args.json ? json_text(costs_json(costs)) : costs_text(costs));
    return 0;
  }
  const Shard shard = read_shard(args.shard);
  if (!args.into.empty()) {
    if (scale.quick || !scale.sets.empty() || scale.seeds || scale.episodes) {
      throw bad_input(
          "--into keeps results of the plan: without --quick, --set, --seeds and --episodes");
    }
    experiments::kept_results(args.into, items);  // refuses a bad file before the work, not after
  }
  const std::vector<Task> tasks =
      tasks_of_series(tasks_of(experiments::requests_of(items, scale), args.out), args.only);
  for (const Task& task : tasks) check_settings(task);
  std::vector<Task> mine = share_of(tasks, shard);
  const std::size_t share = mine.size();
  std::erase_if(mine, is_done);
  if (!args.quiet && mine.size() < share) {
    terminal::notice(fmt::format("{} of {} runs are there already\n", share - mine.size(), share));
  }
  const int threads = static_cast<int>(args.threads);
  terminal::CampaignProgress progress(mine, threads, args.quiet);
  const auto part_now = [&] {
    return experiments::campaign_part(items, args.only, tasks, threads, scale);
  };
  experiments::CommandRecord record(args.out, part_now(), progress);
  const CampaignEnd end = run_tasks(mine, threads, *terminal::stop_on_signal(), record);
  const Json made = part_now();
  record.finish(made, end.made);
  const Json part = experiments::write_campaign(args.out, made);
  if (end.interrupted) {
    terminal::notice("stopped; the same `bpo reproduce` command goes on from here\n");
    return terminal::signal_status();
  }
  if (!end.locked.empty()) {
    throw Error(ErrorCode::kLocked,
                fmt::format("{} of the runs are being made by another process ({}); the same "
                            "command again, once it is done, goes on from here",
                            end.locked.size(), end.locked.front()));
  }
  const auto missing = std::count_if(tasks.begin(), tasks.end(), std::not_fn(is_done));
  if (missing > 0) {
    terminal::notice(fmt::format(
        "shard {} is done; {} runs of other shards are not there yet, so there is no page; any "
        "shard's command again makes it once they are\n",
        args.shard, missing));
    return 0;
  }
  const experiments::Written written = experiments::write_page(args.out, items, tasks, end, scale);
  if (!args.into.empty()) {
    const std::set<std::string> gone = experiments::merge_into(
        args.into, items, written.results, {args.comparable.begin(), args.comparable.end()});
    experiments::replace_part(args.into, part);
    if (!gone.empty()) {
      terminal::notice(fmt::format("{}: without these now, which are of another commit: {}\n",
                                   printable(args.into), fmt::join(gone, "; ")));
    }
  }
  terminal::print(args.json ? json_text(written.results)
                            : fmt::format("{}\nwritten to {} and {}/results\n", written.text,
                                          printable(written.page), printable(args.out)));
  return 0;
}

}  // namespace

Verb add_reproduce(CLI::App& root) {
  CLI::App* app = root.add_subcommand("reproduce", "the paper's tables and figures beside ours");
  const auto args = std::make_shared<ReproduceArguments>();
  app->add_option("items", args->items, "tables and figures (--list); all of them if none")
      ->type_name("ITEM...");
  CLI::Option* list =
      app->add_flag("--list", args->list, "list the tables and figures, with their runs and time");
  app->add_flag("--quick", args->quick,
                "few seeds and short trainings, which show that all works, not how well");
  add_path(*app, "--out", args->out, "runs, results and the page; what is there is reused")
      ->type_name("DIR")
      ->default_str(args->out);
  app->add_option("--shard", args->shard, "only the i-th of N shares of the runs")
      ->type_name("i/N")
      ->excludes(list);
  CLI::Option* only =
      app->add_option(
             "--only", args->only,
             "only series whose names begin so, as swimmer or chain-bins=10/bpo; repeatable")
          ->type_name("SERIES")
          ->allow_extra_args(false)
          ->excludes(list);
  CLI::Option* into =
      add_path(*app, "--into", args->into,
               "put what was found into DIR/ITEM.json, in the place of older series; those of the "
               "same problem and another commit go")
          ->type_name("DIR");
  app->add_option("--comparable", args->comparable,
                  "with --into: a commit whose series may stay beside these; repeatable")
      ->type_name("COMMIT")
      ->allow_extra_args(false)
      ->needs(into);
  CLI::Option* tables =
      add_path(*app, "--tables", args->tables,
               "train nothing: make the tables of the document -o anew from DIR/*.json")
          ->type_name("DIR");
  CLI::Option* document =
      add_path(*app, "-o", args->document, "the document whose tables --tables makes anew")
          ->type_name("FILE");
  tables->needs(document)->excludes(only);
  document->needs(tables);
  add_integer(*app, "--seeds", args->seeds, 1, 1000, "train this many seeds of every series")
      ->default_str("");
  add_integer(*app, "--episodes", args->episodes, 2, 10'000'000, "measure on this many episodes")
      ->default_str("");
  add_sets(*app, args->sets, "a change to every training; repeatable");
  add_threads(*app, args->threads);
  app->add_flag("--quiet", args->quiet, "show no progress");
  add_json(*app, args->json);
  app->footer([] {  // asked for with --help alone: it resolves the settings of every run
    return fmt::format("Everything is {}; with --quick {}.\n", experiments::extent_text({}),
                       experiments::extent_text({.quick = true}));
  });
  app->footer(
      "Examples:\n"
      "  bpo reproduce --quick\n"
      "  bpo reproduce table-a2 fig-benchmark\n"
      "  bpo reproduce --shard 3/8    # one of eight machines or array jobs with a common --out\n"
      "  bpo reproduce --only swimmer --into results    # a part of a long campaign\n"
      "  bpo reproduce --tables results -o docs/reproduce.md\n"
      "After Ctrl-C, or worse, the same command goes on where it was. A second Ctrl-C waits for\n"
      "nothing that is being measured.");
  return {app, [args] { return reproduce(*args); }};
}

}  // namespace bpo::cli
