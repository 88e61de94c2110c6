// `bpo list`: what there is, one line each, and the options of a problem, an algorithm or a
// planner.
#include <memory>

#include "bpo/cli/arguments.h"
#include "bpo/cli/verbs.h"
#include "bpo/core/json.h"
#include "bpo/core/problem_file.h"
#include "bpo/report/table.h"
#include "bpo/runs/inventory.h"
#include "bpo/terminal/print.h"

namespace bpo::cli {
namespace {

int list_options(const std::string& name, bool json) {
  std::vector<std::vector<std::string>> table{{"option", "default", "accepts", "meaning"}};
  Json out = Json::array();
  for (const OptionRow& row : options_of(name)) {
    table.push_back({row.key, row.value, row.accepts, row.help});
    out.push_back(
        {{"key", row.key}, {"default", row.value}, {"accepts", row.accepts}, {"help", row.help}});
  }
  terminal::print(json ? json_text(out) : report::aligned(table));
  return 0;
}

int list(std::vector<std::string> kinds, bool json) {
  if (kinds.empty()) kinds = inventory_kinds();
  Json out = Json::object();
  std::vector<std::vector<std::string>> table;
  for (const std::string& kind : kinds) {
    table.push_back({kind});
    for (const InventoryItem& item : inventory(kind)) {
      table.push_back({"  " + item.name, item.summary});
      out[kind].push_back({{"name", item.name}, {"summary", item.summary}});
    }
  }
  terminal::print(json ? json_text(out) : report::aligned(table));
  return 0;
}

}  // namespace

Verb add_list(CLI::App& root) {
  struct Arguments {
    std::vector<std::string> kinds;
    std::string options, file;
    bool json = false;
  };
  CLI::App* app =
      root.add_subcommand("list", "problems, filters, algorithms, planners and their options");
  const auto args = std::make_shared<Arguments>();
  app->add_option("kinds", args->kinds, "problems, filters, algorithms, planners; all when absent");
  app->add_option("--options", args->options,
                  "the options of a problem, a problem file, an algorithm or a planner")
      ->type_name("NAME")
      ->excludes("kinds");
  app->add_option("--file", args->file, "a robot as a file: what it is made of, to start from")
      ->type_name("NAME")
      ->excludes("kinds");
  add_json(*app, args->json);
  app->footer(
      "Examples:\n  bpo list\n  bpo list --options chain\n  bpo list --file ant > ant.toml");
  return {app, [args] {
            if (!args->file.empty()) return terminal::print(problem_text(args->file)), 0;
            return args->options.empty() ? list(args->kinds, args->json)
                                         : list_options(args->options, args->json);
          }};
}

}  // namespace bpo::cli
