// A planner makes a policy from the problem's model, where a method trains one; its file ends in
// one RegisterPlanner.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "bpo/core/solver.h"

namespace bpo {

/// A policy that is planned at once, or action by action while it acts.
std::unique_ptr<Solution> as_solution(std::unique_ptr<Policy> policy);
inline std::unique_ptr<Solution> as_solution(std::unique_ptr<Solution> solution) {
  return solution;
}

/// What Solver::start() does; it throws bad_input where the problem lacks what the planner needs.
using StartPlanning =
    std::function<std::unique_ptr<Solution>(const AnyProblem&, std::uint64_t seed, ThreadPool&)>;
std::shared_ptr<const Solver> make_planner(StartPlanning start);

/// A planner with options "planner.*". `make(problem, options)`, or `make(problem, options, seed,
/// pool)`, makes a Policy, or a Solution that plans in iterations; either refers to the problem.
template <class Options, class Make>
SolverEntry planner_entry(std::string name, std::string summary, Make make) {
  return {std::move(name), std::move(summary), SolverKind::kPlanner,
          [make](const std::string& problem, Config& config) -> SolverSetup {
            ResolvedProblem resolved = problems().at(problem).resolve(config);
            Options options;
            config.read("planner", options);
            config.finish();
            return {std::move(resolved), make_planner([=](const AnyProblem& built,
                                                          std::uint64_t seed, ThreadPool& pool) {
                      if constexpr (std::invocable<Make, const AnyProblem&, const Options&>) {
                        return as_solution(make(built, options));
                      } else {
                        return as_solution(make(built, options, seed, pool));
                      }
                    })};
          },
          [] { return Config::rows("planner", Options{}); }};
}

struct RegisterPlanner {
  explicit RegisterPlanner(SolverEntry entry) { solvers().add(std::move(entry)); }
};

}  // namespace bpo
