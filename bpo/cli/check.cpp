// `bpo check`: what there is to know of a problem file before anything is trained on it.
#include <memory>

#include "bpo/cli/arguments.h"
#include "bpo/cli/print.h"
#include "bpo/cli/verbs.h"
#include "bpo/core/problem_file.h"
#include "bpo/report/table.h"

namespace bpo::cli {
namespace {

int check(const std::string& path, bool json) {
  FileFindings found = check_file(path);
  found.json["notes"] = found.notes;
  found.json["ok"] = found.fine;
  std::string text = report::aligned(found.facts) + "\n" + report::aligned(found.parts) + "\n";
  for (const std::string& note : found.notes) text += note + "\n";
  print(json ? json_text(found.json) : text);
  if (!found.fine) throw bad_input(path + ": has problems, as said above");
  return 0;
}

}  // namespace

Verb add_check(CLI::App& root) {
  CLI::App* app = root.add_subcommand("check", "look closely at a problem file");
  const auto path = std::make_shared<std::string>();
  const auto json = std::make_shared<bool>(false);
  add_path(*app, "file", *path, "the problem file")->required()->type_name("FILE");
  add_json(*app, *json);
  app->footer("Example:\n  bpo check examples/robots/hopper/hopper.toml");
  return {app, [=] { return check(*path, *json); }};
}

}  // namespace bpo::cli
