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
  /// Makes the policy, which refers to the problem. Throws bad_input where the problem lacks what
  /// the planner needs.
  using Build = std::function<std::unique_ptr<Policy>(const AnyProblem&)>;

  std::string name, summary;
  /// Reads the options "planner.*".
  std::function<Build(Config&)> resolve;
  std::function<std::vector<OptionRow>()> options;
};

/// A planner whose `make(problem, options)` makes the policy.
template <class Options, class Make>
PlannerEntry planner_entry(std::string name, std::string summary, Make make) {
  return {std::move(name), std::move(summary),
          [make](Config& config) -> PlannerEntry::Build {
            Options options;
            config.read("planner", options);
            return [=](const AnyProblem& problem) { return make(problem, options); };
          },
          [] { return Config::rows("planner", Options{}); }};
}

inline Registry<PlannerEntry>& planners() {
  static Registry<PlannerEntry> registry("planner");
  return registry;
}

struct RegisterPlanner {
  explicit RegisterPlanner(PlannerEntry entry) { planners().add(std::move(entry)); }
};

}  // namespace bpo
