// `bpo compare`: policies side by side on the same episodes, as a table for people or programs.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "bpo/cli/arguments.h"
#include "bpo/cli/verbs.h"
#include "bpo/report/comparison.h"
#include "bpo/terminal/print.h"

namespace bpo::cli {
namespace {

struct CompareArguments {
  std::vector<std::string> directories;
  Protocol protocol;
  std::int64_t threads = 0;
  bool json = false, csv = false, latex = false, markdown = false;
};

void show(const report::Comparison& rows, const CompareArguments& args) {
  const std::vector<int>& right = report::comparison_right();
  if (args.csv) return terminal::print(report::csv(comparison_numbers(rows)));
  if (args.latex) return terminal::print(report::latex(comparison_table(rows), right));
  if (args.markdown) return terminal::print(report::markdown(comparison_table(rows), right));
  if (args.json) return terminal::print(json_text(comparison_json(rows, args.protocol)));
  terminal::print(report::aligned(comparison_table(rows), right));
  const Group& first = *rows.front().group;
  const bool common =
      std::all_of(rows.begin(), rows.end(), [](const auto& r) { return r.group->differs.empty(); });
  terminal::print(fmt::format(
      "{}: {} {}episodes of seed {}, 95 % intervals; differences are paired by episode, of the "
      "means over seeds; '+- over seeds' counts the luck of the seeds as well\n",
      first.problem(), first.runs.front().episodes, common ? "common " : "", args.protocol.seed));
  terminal::print(report::bounds_sentence(rows));
}

int compare(const CompareArguments& args) {
  if (args.json + args.csv + args.latex + args.markdown > 1) {
    throw bad_input("compare: one of --json, --csv, --latex and --markdown at a time");
  }
  ThreadPool pool(static_cast<int>(args.threads));
  NullLog quiet;
  const std::vector<Group> groups = measure_groups(args.directories, args.protocol, quiet, pool);
  show(report::compare(groups), args);
  // On standard error, for the table may be for a program.
  for (const std::string& note : report::comparison_notes(groups)) terminal::notice(note + "\n");
  return 0;
}

}  // namespace

Verb add_compare(CLI::App& root) {
  CLI::App* app = root.add_subcommand("compare", "policies side by side on the same episodes");
  const auto args = std::make_shared<CompareArguments>();
  add_paths(*app, "directories", args->directories, "runs, or parents of seed-* runs")
      ->required()
      ->type_name("DIR...");
  add_episodes(*app, args->protocol);
  add_other_world(*app, args->protocol);
  add_threads(*app, args->threads);
  add_json(*app, args->json);
  app->add_flag("--csv", args->csv, "a line per run, every number in full");
  app->add_flag("--latex", args->latex, "the table for a paper (booktabs)");
  app->add_flag("--markdown", args->markdown, "the table for a page of text");
  app->footer(
      "Examples:\n"
      "  bpo compare runs/lightdark-bpo runs/lightdark-up-mle\n"
      "  bpo compare runs/hallway-bpo runs/hallway-sarsop   # with the gap to SARSOP's bounds\n"
      "Every run is compared with the first, by episode where both have the same world. IQM: the\n"
      "mean of the middle half of the seeds; P(> first): the chance that a seed beats one of the\n"
      "first; g: first - this in deviations over seeds (Hedges); p (Holm): of no difference over\n"
      "seeds (Welch), corrected for all the runs named.");
  return {app, [args] { return compare(*args); }};
}

}  // namespace bpo::cli
