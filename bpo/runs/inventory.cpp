#include "bpo/runs/inventory.h"

#include <fmt/format.h>

#include "bpo/algorithms/training_solver.h"
#include "bpo/core/filter_registry.h"
#include "bpo/core/problem_file.h"

namespace bpo {
namespace {

template <class Entry>
std::vector<InventoryItem> items_of(const Registry<Entry>& registry) {
  std::vector<InventoryItem> out;
  for (const auto& [name, entry] : registry.entries()) out.push_back({name, entry.summary});
  return out;
}

}  // namespace

const std::vector<std::string>& inventory_kinds() {
  static const std::vector<std::string> kKinds{"problems", "filters", "algorithms", "planners"};
  return kKinds;
}

std::vector<InventoryItem> inventory(const std::string& kind) {
  if (kind == "problems") return items_of(problems());
  if (kind == "algorithms") return items_of(solvers(SolverKind::kAlgorithm));
  if (kind == "planners") return items_of(solvers(SolverKind::kPlanner));
  if (kind == "filters") return items_of(filters());
  throw bad_input(fmt::format("list {}: lists are {}{}", kind.substr(0, 60),
                              fmt::join(inventory_kinds(), ", "),
                              did_you_mean(kind, inventory_kinds())));
}

std::vector<OptionRow> options_of(const std::string& name) {
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

}  // namespace bpo
