// SARSOP's bounds against exact dynamic programming, expectimax and published values; its policy
// against simulation; the same bits for any number of threads and after a restart.
#include <gtest/gtest.h>

#include "bpo/core/file.h"
#include "bpo/core/simulate.h"
#include "bpo/core/solver.h"
#include "bpo/planners/exact.h"
#include "bpo/planners/point_based/alpha_policy.h"
#include "tests/support/problems.h"
#include "tests/support/temporary_directory.h"

namespace bpo {
namespace {

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

TEST_F(PointBased, SarsopEnclosesTigersExactOptimum) {
  for (const char* horizon : {"problem.horizon=1", "problem.horizon=3", "problem.horizon=100"}) {
    const Solved solved = solve("sarsop", "tiger", {horizon});
    const double best = exact_optimum(*solved.problem->information(), pool_).optimum;
    EXPECT_LE(solved.lower(), best + 1e-6) << horizon;
    EXPECT_GE(solved.upper(), best - 1e-6) << horizon;
    EXPECT_LE(solved.upper() - solved.lower(), 1e-3) << horizon;
    const auto policy = solved.solution->policy();
    const double value = exact_value(*solved.problem->information(), *policy, pool_).value;
    EXPECT_GE(value, solved.lower() - 1e-5) << "a policy is worth no less than its vectors say";
    EXPECT_LE(value, best + 1e-6);
  }
}

TEST_F(PointBased, SarsopSolvesTigerWithoutAnEnd) {
  const Solved solved = solve("sarsop", "tiger", {"problem.horizon=2000"});
  EXPECT_NEAR(solved.lower(), 19.3714, 1.1e-3);
  EXPECT_NEAR(solved.upper(), 19.3714, 1.1e-3);
}

TEST_F(PointBased, SarsopSolvesUndiscountedEpisodes) {
  // Chain with a gridded slip: 5 seen states, 10 hidden cells, 100 steps, no discount.
  const Solved solved = solve("sarsop", "chain", {"problem.horizon=30", "planner.precision=0.01"});
  EXPECT_LE(solved.upper() - solved.lower(), 0.01);
  double half = 0.0;
  EXPECT_GE(simulated(solved, 10000, &half), solved.lower() - 2.0 * half);
}

TEST_F(PointBased, SarsopIsWorthOnRockSampleWhatItsBoundsSay) {
  const Solved solved = solve("sarsop", "rocksample", {"problem.n=4", "problem.k=4"});
  EXPECT_LE(solved.upper() - solved.lower(), 1e-3);
  double half = 0.0;
  const double mean = simulated(solved, 10000, &half);
  EXPECT_NEAR(mean, solved.lower(), 2.0 * half) << "four standard errors";
}

class PointBasedBits : public PointBased, public testing::WithParamInterface<const char*> {};

TEST_P(PointBasedBits, DependOnNeitherThreadsNorRestarts) {
  const std::string planner = GetParam();
  const std::initializer_list<const char*> options{"problem.n=4", "problem.k=4"};
  const RunIdentity run{"rocksample", planner, 7, "settings"};
  Solved whole = begin(planner, "rocksample", options);
  NullLog quiet;
  bpo::solve(*whole.solution, {.iterations = 6}, quiet);
  {
    ThreadPool one(1);
    Config config;
    for (const char* option : options) config.set(option);
    const SolverSetup setup = solvers().at(planner).resolve("rocksample", config);
    const auto problem = setup.problem.build();
    const auto alone = setup.solver->start(*problem, 7, one);
    bpo::solve(*alone, {.iterations = 6}, quiet);
    EXPECT_EQ(alone->checkpoint_bytes(run, {}), whole.solution->checkpoint_bytes(run, {}));
  }
  Solved first = begin(planner, "rocksample", options);
  bpo::solve(*first.solution, {.iterations = 3}, quiet);
  const std::string file = path("checkpoint.safetensors");
  write_file_atomic(file, first.solution->checkpoint_bytes(run, {17, 2.5}));
  Solved second = begin(planner, "rocksample", options);
  const RunPosition at = second.solution->restore(file, run);
  EXPECT_EQ(at.metrics_bytes, 17u);
  EXPECT_EQ(at.seconds, 2.5);
  bpo::solve(*second.solution, {.iterations = 6}, quiet);
  EXPECT_EQ(second.solution->checkpoint_bytes(run, {}), whole.solution->checkpoint_bytes(run, {}));
}

INSTANTIATE_TEST_SUITE_P(All, PointBasedBits, testing::Values("sarsop", "pbvi", "perseus"));

TEST_F(PointBased, PbviAndPerseusComeNearTigersOptimum) {
  for (const char* planner : {"pbvi", "perseus"}) {
    const Solved solved =
        solve(planner, "tiger", {"problem.horizon=2000", "planner.beliefs=60"}, {.iterations = 40});
    EXPECT_LE(solved.lower(), 19.3715) << planner;
    EXPECT_GE(solved.lower(), 19.36) << planner;
    EXPECT_GE(solved.upper(), 19.3714) << planner;
  }
}

TEST_F(PointBased, PbviAndPerseusPlanInStages) {
  for (const char* planner : {"pbvi", "perseus"}) {
    const Solved solved = solve(planner, "tiger", {"problem.horizon=6", "planner.beliefs=300"});
    const double best = exact_optimum(*solved.problem->information(), pool_).optimum;
    EXPECT_LE(solved.lower(), best + 1e-9) << planner;
    EXPECT_GE(solved.lower(), best - 1e-3) << planner;
  }
}

TEST_F(PointBased, AProblemWithoutTablesIsRefused) {
  for (const char* planner : {"mdp", "qmdp", "fib", "pbvi", "perseus", "sarsop"}) {
    try {
      begin(planner, "lightdark");
      FAIL() << planner;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("needs a finite problem"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace bpo
