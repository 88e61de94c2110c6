// `bpo init`: a commented problem file to start from.
#include <memory>

#include "bpo/cli/arguments.h"
#include "bpo/cli/verbs.h"
#include "bpo/core/problem_file.h"
#include "bpo/terminal/print.h"

namespace bpo::cli {

Verb add_init(CLI::App& root) {
  CLI::App* app = root.add_subcommand("init", "a robot file to start from, made of MJCF");
  const auto path = std::make_shared<std::string>();
  add_path(*app, "model", *path, "the model's MJCF file")->required()->type_name("MODEL.xml");
  app->footer("Example:\n  bpo init robot.xml > robot.toml");
  return {app, [path] {
            terminal::print(start_file(*path));
            return 0;
          }};
}

}  // namespace bpo::cli
