// Solving with any of the planners of vectors, and measuring what came of it.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>

#include "bpo/core/simulate.h"
#include "bpo/core/solver.h"
#include "tests/support/temporary_directory.h"

namespace bpo::test {

struct Solved {
  std::unique_ptr<AnyProblem> problem;
  std::unique_ptr<Solution> solution;
  Metrics last;

  double lower() const { return last["lower"]; }
  double upper() const { return last["upper"]; }
};

class Keep final : public Log {
 public:
  void iteration(const Metrics& metrics) override { last = metrics; }
  void message(const std::string&) override {}
  Metrics last;
};

class PointBased : public test::TemporaryDirectory {
 protected:
  Solved begin(const std::string& planner, const std::string& problem,
               std::initializer_list<const char*> options = {}) {
    Config config;
    for (const char* option : options) config.set(option);
    const SolverSetup setup = solvers().at(planner).resolve(problem, config);
    Solved out{setup.problem.build(), nullptr, {}};
    out.solution = setup.solver->start(*out.problem, 7, pool_);
    return out;
  }
  Solved solve(const std::string& planner, const std::string& problem,
               std::initializer_list<const char*> options = {}, const Budget& budget = {}) {
    Solved out = begin(planner, problem, options);
    Keep log;
    bpo::solve(*out.solution, budget, log);
    out.last = log.last;
    return out;
  }
  double simulated(const Solved& solved, std::int64_t episodes, double* half_width) {
    const auto policy = solved.solution->policy();
    const Evaluation e = evaluate(*solved.problem, *policy, 11, episodes, pool_);
    *half_width = e.ci95().value();
    return e.mean();
  }
  ThreadPool pool_{2};
};

}  // namespace bpo::test
