// `bpo check`: what there is to know of a problem before anything is trained on it.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "bpo/cli/arguments.h"
#include "bpo/cli/verbs.h"
#include "bpo/core/problem_file.h"
#include "bpo/core/text.h"
#include "bpo/report/finite_text.h"
#include "bpo/report/table.h"
#include "bpo/runs/loaded.h"
#include "bpo/runs/recorded.h"
#include "bpo/terminal/print.h"
#include "bpo/terminal/progress.h"

namespace bpo::cli {
namespace {

struct CheckArguments {
  std::string problem, policy;
  std::vector<std::string> sets;
  bool json = false;
};

int show(FileFindings found, const CheckArguments& args) {
  if (!args.sets.empty()) throw bad_input("--set: has no meaning for " + args.problem);
  found.json["notes"] = found.notes;
  found.json["ok"] = found.fine;
  std::string text = report::aligned(found.facts) + "\n" + report::aligned(found.parts) + "\n";
  for (const std::string& note : found.notes) text += note + "\n";
  terminal::print(args.json ? json_text(found.json) : text);
  if (!found.fine) throw bad_input(args.problem + ": has problems, as said above");
  return 0;
}

int check(const CheckArguments& args) {
  const ActsOn who = args.policy.empty() ? ActsOn{} : acts_by(load_run(args.policy));
  std::optional<terminal::Waiting> waiting(std::in_place, "checking " + printable(args.problem));
  if (auto found = check_file(args.problem, who)) {
    waiting.reset();
    return show(*std::move(found), args);
  }
  const Examined found = examine_problem(args.problem, args.sets);
  waiting.reset();
  terminal::print(args.json ? json_text(report::finite_json(found)) : report::finite_text(found));
  if (found.tables.wrong == 0) return 0;
  throw bad_input(fmt::format("{}: {} things are wrong", args.problem, found.tables.wrong));
}

}  // namespace

Verb add_check(CLI::App& root) {
  CLI::App* app = root.add_subcommand("check", "look closely at a robot or a finite problem");
  const auto args = std::make_shared<CheckArguments>();
  add_path(*app, "problem", args->problem, "a problem file, or a problem")->required();
  add_sets(*app, args->sets, "an option of a finite problem, as n=7");
  add_path(*app, "--policy", args->policy,
           "a run on this robot: say also how much its policy's actions tell of the latents")
      ->type_name("DIR");
  add_json(*app, args->json);
  app->footer("Examples:\n  bpo check maze.pomdp\n  bpo check examples/robots/hopper/hopper.toml");
  return {app, [args] { return check(*args); }};
}

}  // namespace bpo::cli
