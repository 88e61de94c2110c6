// `bpo doctor`: what this was built with, what the machine offers, and whether results are the same
// bits for one and two threads.
#include <memory>

#include "bpo/cli/arguments.h"
#include "bpo/cli/verbs.h"
#include "bpo/core/error.h"
#include "bpo/core/json.h"
#include "bpo/report/table.h"
#include "bpo/runs/examination.h"
#include "bpo/terminal/print.h"

namespace bpo::cli {
namespace {

int doctor(bool json) {
  Json out = Json::object();
  std::vector<std::vector<std::string>> table;
  bool fine = true;
  for (const Fact& fact : examine()) {
    out[fact.name] = fact.value;
    table.push_back({fact.name, fact.value + (fact.fine ? "" : "  <- problem")});
    fine = fine && fact.fine;
  }
  out["ok"] = fine;
  terminal::print(json ? json_text(out) : report::aligned(table));
  if (!fine) throw bad_input("doctor found a problem with this build on this machine");
  return 0;
}

}  // namespace

Verb add_doctor(CLI::App& root) {
  CLI::App* app = root.add_subcommand("doctor", "versions, instruction set, cores, a self-check");
  const auto json = std::make_shared<bool>(false);
  add_json(*app, *json);
  app->footer("Example:\n  bpo doctor");
  return {app, [json] { return doctor(*json); }};
}

}  // namespace bpo::cli
