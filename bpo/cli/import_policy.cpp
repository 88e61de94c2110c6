// `bpo import-policy`: a run of a policy that APPL's tools planned.
#include <fmt/format.h>

#include <memory>

#include "bpo/cli/arguments.h"
#include "bpo/cli/verbs.h"
#include "bpo/core/text.h"
#include "bpo/runs/imported.h"
#include "bpo/terminal/print.h"

namespace bpo::cli {
namespace {

struct ImportArguments {
  std::string problem, policy, out;
  std::vector<std::string> sets;
  bool force = false;
};

int import(const ImportArguments& args) {
  const Imported made = import_policy(args.problem, args.policy, args.out, args.sets, args.force);
  terminal::print(fmt::format("{} vectors, worth {:.4f} by what they say\nsaved in   {}\n",
                              made.vectors, made.claimed, printable(args.out)));
  return 0;
}

}  // namespace

Verb add_import_policy(CLI::App& root) {
  CLI::App* app = root.add_subcommand("import-policy", "a run of a policy that APPL planned");
  const auto args = std::make_shared<ImportArguments>();
  add_path(*app, "problem", args->problem, "the problem that it was planned for")->required();
  add_path(*app, "policy", args->policy, "APPL's file")->required();
  add_path(*app, "--out", args->out, "the run directory")->required()->type_name("DIR");
  add_sets(*app, args->sets, "problem.KEY=VALUE; repeatable");
  app->add_flag("--force", args->force, "replace a run that is there");
  app->footer(
      "Example:\n"
      "  bpo import-policy hallway.pomdp out.policy --out runs/appl && bpo eval runs/appl\n"
      "The other way: a planner's run has its policy for APPL's tools in appl.policy.");
  return {app, [args] { return import(*args); }};
}

}  // namespace bpo::cli
