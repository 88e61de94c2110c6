// `bpo report`: runs as one page of figures that needs nothing but itself.
#include <fmt/format.h>

#include <memory>

#include "bpo/cli/arguments.h"
#include "bpo/cli/verbs.h"
#include "bpo/core/file.h"
#include "bpo/core/text.h"
#include "bpo/report/study_page.h"
#include "bpo/terminal/print.h"
#include "bpo/terminal/progress.h"

namespace bpo::cli {
namespace {

struct ReportArguments {
  report::PageRequest page;
  std::string out;
  std::int64_t threads = 0;
};

int report(const ReportArguments& args) {
  ThreadPool pool(static_cast<int>(args.threads));
  terminal::Notices log;
  const std::string html = report::study_page(args.page, log, pool).html();
  write_file_atomic(args.out, html, Links::kFollowed);
  terminal::print(
      fmt::format("wrote {} ({} KB)\n", printable(args.out), (html.size() + 1023) / 1024));
  return 0;
}

}  // namespace

Verb add_report(CLI::App& root) {
  CLI::App* app = root.add_subcommand("report", "a page of figures about runs");
  const auto args = std::make_shared<ReportArguments>();
  add_paths(*app, "directories", args->page.directories, "runs, or parents of seed-* runs")
      ->required()
      ->type_name("DIR...");
  add_path(*app, "-o,--out", args->out, "the page to write")->required()->type_name("FILE");
  app->add_option("--title", args->page.title,
                  "the title of the page (default: the names of the problems)");
  add_episodes(*app, args->page.protocol);
  add_integer(*app, "--episode", args->page.episode, 0, kMaxSeed,
              "the episode that is drawn step by step");
  add_other_world(*app, args->page.protocol);
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
