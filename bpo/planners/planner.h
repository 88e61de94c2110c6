// Planners by name. A planner makes a policy from the problem's model, where a method trains one;
// its file ends in one RegisterPlanner.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bpo/core/any_problem.h"
#include "bpo/core/policy.h"

namespace bpo {

struct PlannerEntry {
  std::string name, summary;
  /// Reads "planner.*". Throws bad_input where the problem lacks what the planner needs. The policy
  /// refers to the problem.
  std::function<std::unique_ptr<Policy>(const AnyProblem&, Config&)> make;
  std::function<std::vector<OptionRow>()> options;
};

inline Registry<PlannerEntry>& planners() {
  static Registry<PlannerEntry> registry("planner");
  return registry;
}

struct RegisterPlanner {
  explicit RegisterPlanner(PlannerEntry entry) { planners().add(std::move(entry)); }
};

}  // namespace bpo
