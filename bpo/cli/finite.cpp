// `bpo check` and `bpo write-problem`: finite problems as files of other programs.
#include <fmt/format.h>

#include <memory>

#include "bpo/cli/arguments.h"
#include "bpo/cli/print.h"
#include "bpo/cli/verbs.h"
#include "bpo/core/file.h"
#include "bpo/report/finite_text.h"

namespace bpo::cli {
namespace {

struct FiniteArguments {
  std::string problem, out;
  std::vector<std::string> sets;
  bool json = false;
};

int check(const FiniteArguments& args) {
  const Examined found = examine_problem(args.problem, args.sets);
  print(args.json ? json_text(report::finite_json(found)) : report::finite_text(found));
  if (found.tables.wrong == 0) return 0;
  throw bad_input(fmt::format("{}: {} things are wrong", args.problem, found.tables.wrong));
}

int write(const FiniteArguments& args) {
  const std::string text = problem_text(args.problem, args.sets, args.out);
  write_file_atomic(args.out, text, Links::kFollowed);
  print(fmt::format("wrote {} ({} KB)\n", printable(args.out), (text.size() + 1023) / 1024));
  return 0;
}

}  // namespace

Verb add_check(CLI::App& root) {
  CLI::App* app = root.add_subcommand("check", "sizes, errors and oddities of a finite problem");
  const auto args = std::make_shared<FiniteArguments>();
  add_path(*app, "problem", args->problem, "a problem file, or a problem")->required();
  add_sets(*app, args->sets, "an option of the problem, as n=7");
  add_json(*app, args->json);
  app->footer("Example:\n  bpo check maze.pomdp");
  return {app, [args] { return check(*args); }};
}

Verb add_write_problem(CLI::App& root) {
  CLI::App* app = root.add_subcommand("write-problem", "a finite problem as .pomdp or .pomdpx");
  const auto args = std::make_shared<FiniteArguments>();
  add_path(*app, "problem", args->problem, "the problem, or a problem file")->required();
  add_path(*app, "out", args->out, "what to write; its ending says how")->required();
  add_sets(*app, args->sets, "an option of the problem, as n=7");
  app->footer("Example:\n  bpo write-problem rocksample rocks.pomdpx --set n=7 --set k=8");
  return {app, [args] { return write(*args); }};
}

}  // namespace bpo::cli
