// `bpo status`: what runs, how far, how fast, when done.
#include <memory>

#include "bpo/cli/arguments.h"
#include "bpo/cli/verbs.h"
#include "bpo/report/status_text.h"
#include "bpo/terminal/print.h"

namespace bpo::cli {

Verb add_status(CLI::App& root) {
  CLI::App* app = root.add_subcommand("status", "what runs, how far, how fast, when done");
  const auto directories = std::make_shared<std::vector<std::string>>();
  const auto json = std::make_shared<bool>(false);
  add_paths(*app, "directories", *directories, "runs, or directories that hold some")
      ->required()
      ->type_name("DIR...");
  add_json(*app, *json);
  app->footer(
      "Example:\n  bpo status runs\n"
      "It reads files only, so it may be asked on another machine with the same disk.");
  return {app, [=] {
            const std::vector<RunStatus> all = status_of_runs(*directories);
            terminal::print(*json ? json_text(report::status_json(all)) : report::status_text(all));
            return 0;
          }};
}

}  // namespace bpo::cli
