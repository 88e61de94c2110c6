// `bpo list`: what there is, one line each, and the options of a problem, an algorithm or a
// planner.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "bpo/algorithms/training_solver.h"
#include "bpo/cli/arguments.h"
#include "bpo/cli/print.h"
#include "bpo/cli/verbs.h"
#include "bpo/core/json.h"
#include "bpo/core/problem_file.h"
#include "bpo/report/table.h"

namespace bpo::cli {
namespace {

struct Item {
  std::string name, summary;
};

template <class Entry>
std::vector<Item> items_of(const Registry<Entry>& registry) {
  std::vector<Item> out;
  for (const auto& [name, entry] : registry.entries()) out.push_back({name, entry.summary});
  return out;
}

const std::vector<std::string> kKinds{"problems", "filters", "algorithms", "planners"};

std::vector<Item> items(const std::string& kind) {
  if (kind == "problems") return items_of(problems());
  if (kind == "algorithms") return items_of(solvers(SolverKind::kAlgorithm));
  if (kind == "planners") return items_of(solvers(SolverKind::kPlanner));
  return {{"grid", "categorical posterior on a grid of latents, Eq. (2), in log space"},
          {"model-grid", "the same where a likelihood is a simulation: only those that matter run"},
          {"discrete", "exact posterior of a hidden state that moves by sparse tables"},
          {"ekf", "extended Kalman filter: a Gaussian posterior, linearised at its mean"},
          {"particle", "weighted samples, resampled systematically; told by mean and covariance"}};
}

std::vector<OptionRow> option_rows(const std::string& name) {
  if (problems().contains(name)) return problem_options(problems().at(name));
  if (name.find_first_of("/.") != std::string::npos) {
    return problem_options(problems().at(open_problem(name)));
  }
  if (solvers().contains(name)) return solvers().at(name).options();
  std::vector<std::string> known = problems().names();
  for (const SolverKind kind : {SolverKind::kAlgorithm, SolverKind::kPlanner}) {
    const std::vector<std::string> more = solvers(kind).names();
    known.insert(known.end(), more.begin(), more.end());
  }
  throw bad_input(fmt::format("--options {}: no problem, algorithm or planner{}; known are {}",
                              name.substr(0, 60), did_you_mean(name, known),
                              fmt::join(known, ", ")));
}

int list_options(const std::string& name, bool json) {
  std::vector<std::vector<std::string>> table{{"option", "default", "accepts", "meaning"}};
  Json out = Json::array();
  for (const OptionRow& row : option_rows(name)) {
    table.push_back({row.key, row.value, row.accepts, row.help});
    out.push_back(
        {{"key", row.key}, {"default", row.value}, {"accepts", row.accepts}, {"help", row.help}});
  }
  print(json ? json_text(out) : report::aligned(table));
  return 0;
}

int list(std::vector<std::string> kinds, bool json) {
  for (const std::string& kind : kinds) {
    if (std::find(kKinds.begin(), kKinds.end(), kind) != kKinds.end()) continue;
    throw bad_input(fmt::format("list {}: lists are {}{}", kind.substr(0, 60),
                                fmt::join(kKinds, ", "), did_you_mean(kind, kKinds)));
  }
  if (kinds.empty()) kinds = kKinds;
  Json out = Json::object();
  std::vector<std::vector<std::string>> table;
  for (const std::string& kind : kinds) {
    table.push_back({kind});
    for (const Item& item : items(kind)) {
      table.push_back({"  " + item.name, item.summary});
      out[kind].push_back({{"name", item.name}, {"summary", item.summary}});
    }
  }
  print(json ? json_text(out) : report::aligned(table));
  return 0;
}

}  // namespace

Verb add_list(CLI::App& root) {
  struct Arguments {
    std::vector<std::string> kinds;
    std::string options;
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
  add_json(*app, args->json);
  app->footer("Examples:\n  bpo list\n  bpo list --options chain");
  return {app, [args] {
            return args->options.empty() ? list(args->kinds, args->json)
                                         : list_options(args->options, args->json);
          }};
}

}  // namespace bpo::cli
