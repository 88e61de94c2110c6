// `bpo compare`: policies side by side on the same episodes, as a table for people or programs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "bpo/cli/groups.h"
#include "bpo/cli/print.h"
#include "bpo/cli/result.h"
#include "bpo/cli/verbs.h"
#include "bpo/core/text.h"
#include "bpo/report/statistics.h"
#include "bpo/report/table.h"

namespace bpo::cli {
namespace {

using report::Estimate;
using report::Mean;

struct CompareArguments {
  std::vector<std::string> directories;
  EpisodeArguments episodes;
  std::int64_t threads = 0;
  bool json = false, csv = false, latex = false, markdown = false;
};

/// What there is to say of one group beside the first one. What needs seeds is absent where there
/// are too few.
struct Row {
  const Group* group = nullptr;
  Mean over_episodes;
  double mean = 0.0, best = 0.0, iqm = 0.0;
  std::optional<Mean> paired, over_seeds, seed_difference;
  std::optional<Estimate> iqm_interval, better;
};

Row row_of(const Group& g, const Group& first) {
  const std::vector<double>& means = g.seed_means;
  Row row{.group = &g,
          .over_episodes = report::over_episodes(g.returns),
          .mean = report::mean_of(means),
          .best = means[report::best_of(means)],
          .iqm = report::interquartile_mean(means)};
  if (g.differs.empty()) row.paired = report::paired_difference(first.returns, g.returns);
  if (means.size() < report::kEnoughSeeds) return row;
  row.over_seeds = report::over_seeds(means);
  const std::vector<report::Stratum> one{means};
  row.iqm_interval = report::bootstrap(
      one, [](std::span<const report::Stratum> s) { return report::interquartile_mean(s); });
  if (first.seed_means.size() < report::kEnoughSeeds || !row.paired) return row;
  row.seed_difference = report::seed_difference(first.seed_means, means);
  row.better = report::probability_of_improvement(means, first.seed_means);
  return row;
}

std::string shown(const Mean& x) {
  return x.has_interval() ? fmt::format("{:.2f} +- {:.2f}", x.mean, x.half)
                          : fmt::format("{:.2f} (one)", x.mean);
}

report::Rows table(const std::vector<Row>& rows) {
  report::Rows out{{"run", "method", "seeds", "mean, over seeds", "over episodes", "best seed",
                    "IQM", "P(> first)", "first - this", "+- over seeds"}};
  for (const Row& r : rows) {
    const bool first = &r == &rows.front();
    out.push_back(
        {r.group->directory, r.group->algorithm, fmt::to_string(r.group->seed_means.size()),
         r.over_seeds ? shown(*r.over_seeds) : fmt::format("{:.2f} (not enough seeds)", r.mean),
         shown(r.over_episodes), fmt::format("{:.2f}", r.best), fmt::format("{:.2f}", r.iqm),
         r.better && !first ? fmt::format("{:.2f}", r.better->value) : "-",
         r.paired && !first ? shown(*r.paired) : "-",
         r.seed_difference && !first ? fmt::format("{:.2f}", r.seed_difference->half) : "-"});
  }
  return out;
}

/// One number per cell, all digits; what is unknown is empty.
report::Rows numbers(const std::vector<Row>& rows) {
  report::Rows out{{"run", "problem", "method", "seeds", "mean", "ci95_over_seeds",
                    "ci95_over_episodes", "best_seed", "iqm", "iqm_low", "iqm_high",
                    "p_better_than_first", "p_low", "p_high", "first_minus_this",
                    "ci95_paired_by_episode", "ci95_difference_over_seeds", "faults"}};
  const auto cell = [](std::optional<double> x) {
    return x && std::isfinite(*x) ? fmt::to_string(*x) : "";
  };
  const auto half = [](const std::optional<Mean>& x) {
    return x ? std::optional(x->half) : std::nullopt;
  };
  const auto part = [](const std::optional<Estimate>& x, double Estimate::*which) {
    return x ? std::optional((*x).*which) : std::nullopt;
  };
  for (const Row& r : rows) {
    out.push_back(
        {r.group->directory, r.group->problem, r.group->algorithm,
         fmt::to_string(r.group->seed_means.size()), cell(r.mean), cell(half(r.over_seeds)),
         cell(r.over_episodes.half), cell(r.best), cell(r.iqm),
         cell(part(r.iqm_interval, &Estimate::low)), cell(part(r.iqm_interval, &Estimate::high)),
         cell(part(r.better, &Estimate::value)), cell(part(r.better, &Estimate::low)),
         cell(part(r.better, &Estimate::high)),
         cell(r.paired ? std::optional(r.paired->mean) : std::nullopt), cell(half(r.paired)),
         cell(half(r.seed_difference)), fmt::to_string(r.group->faults)});
  }
  return out;
}

Json row_json(const Row& r) {
  const auto interval = [](const std::optional<Mean>& x) {
    return x ? Json{{"mean", x->mean}, {"ci95", x->half}} : Json();
  };
  const auto estimate = [](const std::optional<Estimate>& x) {
    return x ? Json{{"value", x->value}, {"low", x->low}, {"high", x->high}} : Json();
  };
  return {{"run", r.group->directory},
          {"problem", r.group->problem},
          {"algorithm", r.group->algorithm},
          {"seed_means", r.group->seed_means},
          {"over_seeds", interval(r.over_seeds)},
          {"over_episodes", interval(r.over_episodes)},
          {"best_seed", r.best},
          {"iqm", r.iqm},
          {"iqm_interval", estimate(r.iqm_interval)},
          {"better_than_first", estimate(r.better)},
          {"first_minus_this", interval(r.paired)},
          {"first_minus_this_over_seeds", interval(r.seed_difference)},
          {"differs_from_first", r.group->differs},
          {"faults", r.group->faults}};
}

void show(const std::vector<Row>& rows, const CompareArguments& args) {
  const std::vector<int> right{2, 3, 4, 5, 6, 7, 8, 9};
  if (args.csv) {
    print(report::csv(numbers(rows)));
  } else if (args.latex) {
    print(report::latex(table(rows), right));
  } else if (args.markdown) {
    print(report::markdown(table(rows), right));
  } else if (args.json) {
    Json out{{"episodes", rows.front().group->returns.size()},
             {"eval_seed", args.episodes.seed},
             {"greedy", args.episodes.greedy}};
    for (const Row& r : rows) out["runs"].push_back(row_json(r));
    print(json_text(out));
  } else {
    print(report::aligned(table(rows), right));
    const bool common = std::all_of(rows.begin(), rows.end(),
                                    [](const Row& r) { return r.group->differs.empty(); });
    print(fmt::format(
        "{}: {} {}episodes of seed {}, 95 % intervals; differences are paired by episode, of the "
        "means over seeds; '+- over seeds' counts the luck of the seeds as well\n",
        rows.front().group->problem, rows.front().group->returns.size(), common ? "common " : "",
        args.episodes.seed));
  }
}

/// What a reader of the table must know; on standard error, for the table may be for a program.
void warn(const std::vector<Row>& rows) {
  for (const Row& r : rows) {
    const Group& g = *r.group;
    if (!g.differs.empty()) {
      notice(fmt::format("{} is not paired with {}, whose world is another: it has {}\n",
                         printable(g.directory), printable(rows.front().group->directory),
                         g.differs));
    }
    const auto episodes = static_cast<std::int64_t>(g.returns.size() * g.seed_means.size());
    if (g.faults > 0) notice(fault_notice(printable(g.directory), g.faults, episodes) + "\n");
  }
}

int compare(const CompareArguments& args) {
  if (args.json + args.csv + args.latex + args.markdown > 1) {
    throw bad_input("compare: one of --json, --csv, --latex and --markdown at a time");
  }
  ThreadPool pool(static_cast<int>(args.threads));
  const std::vector<Group> groups = measure_groups(args.directories, args.episodes, pool);
  std::vector<Row> rows;
  for (const Group& g : groups) rows.push_back(row_of(g, groups.front()));
  show(rows, args);
  warn(rows);
  return 0;
}

}  // namespace

Verb add_compare(CLI::App& root) {
  CLI::App* app = root.add_subcommand("compare", "policies side by side on the same episodes");
  const auto args = std::make_shared<CompareArguments>();
  add_paths(*app, "directories", args->directories, "runs, or parents of seed-* runs")
      ->required()
      ->type_name("DIR...");
  add_episodes(*app, args->episodes);
  add_other_world(*app, args->episodes);
  add_threads(*app, args->threads);
  add_json(*app, args->json);
  app->add_flag("--csv", args->csv, "a line per run, every number in full");
  app->add_flag("--latex", args->latex, "the table for a paper (booktabs)");
  app->add_flag("--markdown", args->markdown, "the table for a page of text");
  app->footer(
      "Example:\n"
      "  bpo compare runs/lightdark-bpo runs/lightdark-up-mle\n"
      "Every run is compared with the first one named, episode by episode where both have the "
      "same\n"
      "world. IQM is the mean of the middle half of the\n"
      "seeds; P(> first) the chance that a seed of this run beats one of the first.");
  return {app, [args] { return compare(*args); }};
}

}  // namespace bpo::cli
