// `bpo export`: a policy as C or ONNX, with its filter where that is plain numbers.
#include "bpo/agent/export/export.h"

#include <memory>

#include "bpo/cli/arguments.h"
#include "bpo/cli/verbs.h"
#include "bpo/runs/loaded.h"
#include "bpo/terminal/print.h"

namespace bpo::cli {

Verb add_export(CLI::App& root) {
  struct Arguments {
    std::string run, to = "c", out;
  };
  CLI::App* app = root.add_subcommand("export", "a policy for a machine without bpo: C or ONNX");
  const auto args = std::make_shared<Arguments>();
  add_path(*app, "run", args->run, "the run directory")->required()->type_name("RUN");
  app->add_option("--to", args->to, "c: C99 in a directory; onnx: one file")
      ->check(CLI::IsMember({"c", "onnx"}));
  add_path(*app, "out", args->out, "an empty directory (for C), or the file to write (ONNX)")
      ->required();
  app->footer(
      "Examples:\n"
      "  bpo export runs/tiger-0 --to c robot/policy\n"
      "  bpo export runs/tiger-0 --to onnx policy.onnx\n"
      "docs/deploy.md says what to do with them.");
  return {app, [args] {
            const LoadedPolicy loaded = load_run(args->run);
            terminal::print(args->to == "c" ? export_c(loaded, args->out)
                                            : export_onnx(loaded, args->out));
            return 0;
          }};
}

}  // namespace bpo::cli
