// `bpo write-problem`: finite problems as files of other programs.
#include <fmt/format.h>

#include <memory>

#include "bpo/cli/arguments.h"
#include "bpo/cli/verbs.h"
#include "bpo/core/file.h"
#include "bpo/core/problem_file.h"
#include "bpo/runs/finite.h"
#include "bpo/terminal/print.h"

namespace bpo::cli {
namespace {

struct WriteArguments {
  std::string problem, out;
  std::vector<std::string> sets;
};

int write(const WriteArguments& args) {
  const std::string text = problem_text(args.problem, args.sets, args.out);
  write_file_atomic(args.out, text, Links::kFollowed);
  terminal::print(
      fmt::format("wrote {} ({} KB)\n", printable(args.out), (text.size() + 1023) / 1024));
  if (text.size() > kMostProblemBytes) {
    terminal::notice(fmt::format(
        "{} is for other programs: bpo reads problem files of up to {} MB{}\n", printable(args.out),
        kMostProblemBytes / 1'000'000,
        ending_of(args.out) == ".pomdp" ? "; the same problem as .pomdpx takes less" : ""));
  }
  return 0;
}

}  // namespace

Verb add_write_problem(CLI::App& root) {
  CLI::App* app = root.add_subcommand("write-problem", "a finite problem as .pomdp or .pomdpx");
  const auto args = std::make_shared<WriteArguments>();
  add_path(*app, "problem", args->problem, "the problem, or a problem file")->required();
  add_path(*app, "out", args->out, "what to write; its ending says how")->required();
  add_sets(*app, args->sets, "an option of the problem, as n=7");
  app->footer("Example:\n  bpo write-problem rocksample rocks.pomdpx --set n=7 --set k=8");
  return {app, [args] { return write(*args); }};
}

}  // namespace bpo::cli
