// `bpo reproduce`: the paper's tables and figures, ours beside the paper's. Makes the runs that are
// missing, measures them on common episodes, and writes a page and small result files.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>

#include "bpo/cli/arguments.h"
#include "bpo/cli/campaign.h"
#include "bpo/cli/measure.h"
#include "bpo/cli/measured.h"
#include "bpo/cli/print.h"
#include "bpo/cli/progress.h"
#include "bpo/cli/signals.h"
#include "bpo/cli/verbs.h"
#include "bpo/core/file.h"
#include "bpo/core/text.h"
#include "bpo/experiments/plan.h"
#include "bpo/experiments/results.h"
#include "bpo/experiments/sheet.h"

namespace bpo::cli {
namespace {

using experiments::Experiment;
using experiments::Findings;

struct ReproduceArguments {
  std::vector<std::string> items, sets;
  std::string out = "runs/reproduce", shard = "1/1";
  std::int64_t seeds = 0, episodes = 0, threads = 0;
  bool quick = false, list = false, quiet = false, json = false;
};

Shard read_shard(const std::string& text) {
  Shard shard;
  int used = 0;
  if (std::sscanf(text.c_str(), "%d/%d%n", &shard.index, &shard.count, &used) != 2 ||
      used != static_cast<int>(text.size()) || shard.index < 1 || shard.index > shard.count ||
      shard.count > 100000) {
    throw bad_input(
        fmt::format("--shard {}: must be i/N with 1 <= i <= N, as 2/4", text.substr(0, 40)));
  }
  return shard;
}

std::vector<const Experiment*> items_of(const ReproduceArguments& args) {
  std::vector<const Experiment*> out;
  for (const std::string& name : args.items) {
    const Experiment* item = &experiments::all().at(name);
    if (std::find(out.begin(), out.end(), item) == out.end()) out.push_back(item);
  }
  if (!out.empty()) return out;
  for (const auto& [name, item] : experiments::all().entries()) out.push_back(&item);
  std::sort(out.begin(), out.end(),
            [](const Experiment* a, const Experiment* b) { return a->place < b->place; });
  return out;
}

experiments::Scale scale_of(const ReproduceArguments& args) {
  experiments::Scale scale{.quick = args.quick, .sets = args.sets};
  if (args.seeds > 0) scale.seeds = static_cast<int>(args.seeds);
  if (args.episodes > 0) scale.episodes = args.episodes;
  return scale;
}

/// Without MuJoCo there are no robots; what needs them is left out.
std::vector<experiments::Request> requests_of(const std::vector<const Experiment*>& items,
                                              const experiments::Scale& scale) {
  std::vector<experiments::Request> out;
  for (const Experiment* item : items) {
    for (experiments::Request& request : item->requests(scale)) {
      if (problems().contains(request.series.problem)) out.push_back(std::move(request));
    }
  }
  return out;
}

int print_list(const ReproduceArguments& args) {
  report::Rows rows{{"item", "what", "runs", "minutes on 2 cores"}};
  Json out = Json::array();
  const experiments::Scale scale = scale_of(args);
  std::vector<const Experiment*> items = items_of(args);
  const auto add = [&](const std::string& name, const std::string& title,
                       const std::vector<const Experiment*>& which) {
    const std::vector<Task> tasks = tasks_of(requests_of(which, scale), args.out);
    double seconds = 0.0;
    for (const Task& task : tasks) seconds += task.series.seconds;
    rows.push_back({name, title, fmt::to_string(tasks.size()),
                    fmt::format("{:.0f}", std::ceil(seconds / 120.0))});
    out.push_back(
        {{"item", name}, {"title", title}, {"runs", tasks.size()}, {"core_seconds", seconds}});
  };
  for (const Experiment* item : items) add(item->name, item->title, {item});
  if (items.size() > 1) add("all of them", "runs that several need are made once", items);
  print(args.json ? json_text(out) : report::aligned(rows, {2, 3}));
  return 0;
}

/// Every series: its settings, its seeds, what it took, and what diverged.
void provenance(const std::vector<Task>& tasks, experiments::Sheet& sheet) {
  sheet.heading("Where the numbers come from");
  const Machine machine = this_machine();
  sheet.paragraph(fmt::format(
      "bpo {} on {}, {} cores, {}, {}. Episodes are those of `bpo compare "
      "--seed 0`, the same for every method.",
      machine.commit, machine.cpu, machine.cores, machine.instruction_set, machine.compiler));
  struct Total {
    int seeds = 0;
    double seconds = 0.0;
    std::int64_t steps = 0, faults = 0;
    std::string episodes, diverged;
  };
  std::map<std::string, Total> totals;
  double seconds = 0.0;
  for (const Task& task : tasks) {
    Total& total = totals[task.series.directory()];
    ++total.seeds;
    total.episodes = fmt::to_string(task.looks.front().episodes);
    total.faults += recall(task.directory, task.looks.front())->faults;
    if (is_diverged(task)) total.diverged += fmt::format(" {}", task.seed);
    if (task.series.planned()) continue;
    const Training training = *stored_result(task.directory)->training;
    total.seconds += training.seconds;
    total.steps += training.steps;
    seconds += training.seconds;
  }
  report::Rows rows{
      {"series", "seeds", "steps a seed", "seconds a seed", "measured on", "faults", "diverged"}};
  for (const auto& [series, t] : totals) {
    rows.push_back({series, fmt::to_string(t.seeds),
                    t.steps > 0 ? short_count(static_cast<double>(t.steps) / t.seeds) : "-",
                    t.steps > 0 ? fmt::format("{:.1f}", t.seconds / t.seeds) : "planned",
                    t.episodes + " episodes", fmt::to_string(t.faults),
                    t.diverged.empty() ? "-" : "seeds" + t.diverged});
  }
  sheet.table(rows, {1, 2, 3, 4, 5});
  sheet.paragraph(
      fmt::format("{} runs, {} of training in all. What diverged is represented by its best policy "
                  "before that. Faults are "
                  "episodes that ended because the simulation broke down.",
                  tasks.size(), short_time(seconds)));
}

/// The page, the result files, and the tables on the terminal.
void render(const ReproduceArguments& args, const std::vector<const Experiment*>& items,
            const std::vector<Task>& tasks, const experiments::Scale& scale) {
  const Findings findings = gather(tasks, scale);
  report::Page page("Bayesian Policy Optimization: the paper's results and ours");
  experiments::Sheet sheet(page);
  if (args.quick) {
    sheet.paragraph(
        "Made with --quick: fewer seeds and much shorter trainings (the table at the end has them "
        "all), so these numbers show that everything works, not how well the methods do.");
  }
  if (!args.sets.empty()) {
    sheet.paragraph(fmt::format("Every training was changed by {}.", fmt::join(args.sets, " ")));
  }
  if (!problems().contains("ant")) {
    sheet.paragraph("This program was built without MuJoCo: there are no robots.");
  }
  refuse_link(args.out + "/results");
  make_directories(args.out + "/results");
  Json all = Json::array();
  for (const Experiment* item : items) {
    sheet.heading(item->title);
    sheet.paragraph("The paper: " + item->paper);
    item->render(findings, sheet);
    all.push_back(experiments::results_json(*item, findings));
    write_file_atomic(fmt::format("{}/results/{}.json", args.out, item->name),
                      json_text(all.back()));
  }
  provenance(tasks, sheet);
  const std::string path = args.out + "/index.html";
  write_file_atomic(path, page.html());
  if (args.json) {
    print(json_text(all));
  } else {
    print(fmt::format("{}\nwritten to {} and {}/results\n", sheet.text(), printable(path),
                      printable(args.out)));
  }
}

int reproduce(const ReproduceArguments& args) {
  const std::vector<const Experiment*> items = items_of(args);
  if (args.list) return print_list(args);
  const Shard shard = read_shard(args.shard);
  const experiments::Scale scale = scale_of(args);
  const std::vector<Task> tasks = tasks_of(requests_of(items, scale), args.out);
  for (const Task& task : tasks) check_settings(task);
  std::vector<Task> mine = share_of(tasks, shard);
  const std::size_t share = mine.size();
  std::erase_if(mine, is_done);
  if (!args.quiet && mine.size() < share) {
    notice(fmt::format("{} of {} runs are there already\n", share - mine.size(), share));
  }
  const CampaignEnd end = run_tasks(mine, static_cast<int>(args.threads), args.quiet);
  if (end.interrupted) {
    notice("stopped; the same `bpo reproduce` command goes on from here\n");
    return signal_status();
  }
  if (!end.locked.empty()) {
    throw Error(ErrorCode::kLocked,
                fmt::format("{} of the runs are being made by another process ({}); the same "
                            "command again, once it is done, goes on from here",
                            end.locked.size(), end.locked.front()));
  }
  const auto missing = std::count_if(tasks.begin(), tasks.end(), std::not_fn(is_done));
  if (missing > 0) {
    notice(fmt::format(
        "shard {} is done; {} runs of other shards are not there yet, so there is no page; any "
        "shard's command again makes it once they are\n",
        args.shard, missing));
    return 0;
  }
  render(args, items, tasks, scale);
  return 0;
}

}  // namespace

Verb add_reproduce(CLI::App& root) {
  CLI::App* app = root.add_subcommand("reproduce", "the paper's tables and figures beside ours");
  const auto args = std::make_shared<ReproduceArguments>();
  app->add_option("items", args->items, "tables and figures (--list); all of them if none")
      ->type_name("ITEM...");
  CLI::Option* list = app->add_flag("--list", args->list, "what there is, with runs and time");
  app->add_flag("--quick", args->quick,
                "everything in about four minutes on two cores: few seeds, short trainings");
  add_path(*app, "--out", args->out, "runs, results and the page; what is there is reused")
      ->type_name("DIR")
      ->default_str(args->out);
  app->add_option("--shard", args->shard, "only the i-th of N shares of the runs")
      ->type_name("i/N")
      ->excludes(list);
  add_integer(*app, "--seeds", args->seeds, 1, 1000, "of every series, instead of the plan's")
      ->default_str("");
  add_integer(*app, "--episodes", args->episodes, 2, 10'000'000, "instead of the plan's")
      ->default_str("");
  add_sets(*app, args->sets, "a change to every training; repeatable");
  add_threads(*app, args->threads);
  app->add_flag("--quiet", args->quiet, "no progress");
  add_json(*app, args->json);
  app->footer(
      "Examples:\n"
      "  bpo reproduce --quick\n"
      "  bpo reproduce table-a2 fig-benchmark\n"
      "  bpo reproduce --shard 3/8    # one of eight machines or array jobs with a common --out\n"
      "After Ctrl-C, or worse, the same command goes on where it was. A second Ctrl-C does not "
      "wait\n"
      "for what is being measured.");
  return {app, [args] { return reproduce(*args); }};
}

}  // namespace bpo::cli
