// `bpo identify`: what a recorded log says of a robot's latents.
#include <memory>

#include "bpo/cli/arguments.h"
#include "bpo/cli/verbs.h"
#include "bpo/core/file.h"
#include "bpo/core/text.h"
#include "bpo/report/identify_text.h"
#include "bpo/terminal/print.h"
#include "bpo/terminal/progress.h"

namespace bpo::cli {

Verb add_identify(CLI::App& root) {
  struct Arguments {
    std::string problem, log, page;
    std::vector<std::string> sets;
    bool json = false;
  };
  CLI::App* app = root.add_subcommand("identify", "what a recorded log says of a robot's unknowns");
  const auto args = std::make_shared<Arguments>();
  add_path(*app, "robot", args->problem, "the robot's file")->required()->type_name("ROBOT.toml");
  add_path(*app, "log", args->log, "the recording")->required()->type_name("LOG.csv");
  add_path(*app, "-o,--out", args->page, "draw posteriors over time")->type_name("PAGE.html");
  add_sets(*app, args->sets, "an option of the robot, as simulator=mujoco");
  add_json(*app, args->json);
  app->footer(
      "Examples:\n"
      "  bpo play runs/hopper --log log.csv\n"
      "  bpo identify hopper.toml log.csv -o page.html\n"
      "A log is CSV, a row per step: time, control:ACTUATOR, JOINT, JOINT velocity and sensors;\n"
      "where the filter is not told the state, only what [observe] lists.");
  return {app, [args] {
            const Identification found = [&] {
              const terminal::Waiting waiting("reading " + printable(args->log));
              return identify(args->problem, args->log, args->sets);
            }();
            if (!args->page.empty()) {
              write_file_atomic(args->page, report::identification_page(found, args->log),
                                Links::kFollowed);
            }
            terminal::print(args->json ? json_text(report::identification_json(found))
                                       : report::identification_text(found));
            return 0;
          }};
}

}  // namespace bpo::cli
