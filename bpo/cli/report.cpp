// `bpo report`: runs as one page of figures that needs nothing but itself.
#include <fmt/format.h>

#include <memory>

#include "bpo/cli/arguments.h"
#include "bpo/cli/print.h"
#include "bpo/cli/progress.h"
#include "bpo/cli/verbs.h"
#include "bpo/core/file.h"
#include "bpo/core/machine.h"
#include "bpo/core/text.h"
#include "bpo/report/study_figures.h"

namespace bpo::cli {
namespace {

struct ReportArguments {
  std::vector<std::string> directories;
  std::string out, title;
  Protocol protocol;
  std::int64_t episode = 0, threads = 0;
};

std::string title_of(const std::vector<Study>& studies) {
  std::vector<std::string> names;
  for (const Study& study : studies) names.push_back(study.problem);
  return fmt::format("bpo: {}", fmt::join(names, ", "));
}

int report(const ReportArguments& args) {
  ThreadPool pool(static_cast<int>(args.threads));
  Notices log;
  const std::vector<Study> studies = study(args.directories, args.protocol, log, pool);
  report::Page page(args.title.empty() ? title_of(studies) : args.title);
  for (const Study& study : studies) {
    page.heading(2, study.problem);
    add_results(page, study);
    add_learning(page, study);
    add_beliefs(page, study, log);
    add_episode(page, study, static_cast<std::uint64_t>(args.episode), log);
    add_health(page, study);
  }
  const Machine machine = this_machine();
  page.heading(2, "How it was made");
  page.paragraph(fmt::format("bpo report {}, at commit {}, on {} ({}).",
                             fmt::join(args.directories, " "), machine.commit, machine.cpu,
                             machine.instruction_set));
  page.paragraph(
      "Click a name in a legend to hide its series; point at a figure to read its numbers.");
  const std::string html = page.html();
  write_file_atomic(args.out, html, Links::kFollowed);
  print(fmt::format("wrote {} ({} KB)\n", printable(args.out), (html.size() + 1023) / 1024));
  return 0;
}

}  // namespace

Verb add_report(CLI::App& root) {
  CLI::App* app = root.add_subcommand("report", "a page of figures about runs");
  const auto args = std::make_shared<ReportArguments>();
  add_paths(*app, "directories", args->directories, "runs, or parents of seed-* runs")
      ->required()
      ->type_name("DIR...");
  add_path(*app, "-o,--out", args->out, "the page to write")->required()->type_name("FILE");
  app->add_option("--title", args->title,
                  "the title of the page (default: the names of the problems)");
  add_episodes(*app, args->protocol);
  add_integer(*app, "--episode", args->episode, 0, kMaxSeed, "which one is drawn step by step");
  add_other_world(*app, args->protocol);
  add_threads(*app, args->threads);
  app->footer(
      "Example:\n"
      "  bpo report runs/tiger-bpo runs/tiger-up-mle -o report.html\n"
      "Runs of several problems get a part each. The page is one file, without anything from the\n"
      "network, and can be read without scripts. Without --episodes there are 1000, or 100 where "
      "a\n"
      "step is simulated. All runs of a problem meet the same random numbers, and each is "
      "compared\n"
      "with the first one named.");
  return {app, [args] { return report(*args); }};
}

}  // namespace bpo::cli
