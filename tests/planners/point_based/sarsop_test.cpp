// SARSOP's bounds against exact dynamic programming, expectimax and published values; its policy
// against simulation; the same bits for any number of threads and after a restart.
#include <gtest/gtest.h>

#include <cmath>

#include "bpo/core/file.h"
#include "bpo/planners/exact.h"
#include "bpo/problems/tabular/tabular_problem.h"
#include "tests/planners/point_based/solving.h"
#include "tests/problems/tabular/random_tables.h"
#include "tests/support/expectimax.h"

namespace bpo {
namespace {

using test::PointBased;
using test::Solved;

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

/// Trying everything, at every iteration: a bound that only ends on the right side has been wrong.
TEST_F(PointBased, SarsopEnclosesWhatIsBestAllTheWay) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    TabularModel m = test::random_tables(1 + static_cast<int>(seed % 3), 4, 3, 3, seed);
    m.horizon = 4;
    m.discount = seed % 2 == 0 ? 1.0 : 0.8;
    const double best = test::expectimax(m);
    const auto problem = make_tabular("random", {.horizon = m.horizon, .discount = m.discount},
                                      std::make_shared<TabularModel>(m));
    Config config;
    config.set("planner.precision=1e-9");
    const auto solution =
        solvers().at("sarsop").resolve("tiger", config).solver->start(*problem, 7, pool_);
    double gap = 0.0;
    while (!solution->finished()) {
      const Metrics now = solution->iterate();
      EXPECT_LE(now["lower"], best + 1e-9) << seed;
      EXPECT_GE(now["upper"], best - 1e-9) << seed;
      gap = now["gap"];
    }
    EXPECT_LE(gap, 1e-8) << seed;
  }
}

/// Without an end: what is best in so many steps, and what may come after them.
TEST_F(PointBased, SarsopEnclosesWhatIsBestWithoutAnEnd) {
  constexpr int kSteps = 6;
  for (std::uint64_t seed = 20; seed < 24; ++seed) {
    TabularModel m = test::random_tables(1 + static_cast<int>(seed % 2), 3, 2, 2, seed);
    m.discount = 0.3;
    m.horizon = kSteps;
    const double best = test::expectimax(m);
    // Rewards are in [-1/2, 1/2].
    const double rest = 0.5 * std::pow(m.discount, kSteps) / (1.0 - m.discount);
    m.horizon = 0;
    const auto problem = make_tabular("random", {.horizon = 0, .discount = m.discount},
                                      std::make_shared<TabularModel>(m));
    Config config;
    config.set("planner.precision=1e-7");
    const auto solution =
        solvers().at("sarsop").resolve("tiger", config).solver->start(*problem, 7, pool_);
    Metrics now;
    while (!solution->finished()) {
      now = solution->iterate();
      EXPECT_LE(now["lower"], best + rest) << seed;
      EXPECT_GE(now["upper"], best - rest) << seed;
    }
    EXPECT_LE(now["gap"], 1e-6) << seed;
  }
}

TEST_F(PointBased, SarsopSolvesTigerWithoutAnEnd) {
  const Solved solved = solve("sarsop", "tiger", {"problem.horizon=2000"});
  EXPECT_NEAR(solved.lower(), 19.3714, 1.1e-3);
  EXPECT_NEAR(solved.upper(), 19.3714, 1.1e-3);
}

TEST_F(PointBased, SarsopSolvesUndiscountedEpisodes) {
  // Chain with a gridded slip: 5 seen states, 10 hidden cells, 30 steps, no discount.
  const Solved solved = solve("sarsop", "chain", {"problem.horizon=30", "planner.precision=0.01"});
  EXPECT_LE(solved.upper() - solved.lower(), 0.01);
  double half = 0.0;
  const double mean = simulated(solved, 10000, &half);
  EXPECT_GE(mean, solved.lower() - 2.0 * half);
}

TEST_F(PointBased, SarsopIsWorthOnRockSampleWhatItsBoundsSay) {
  const Solved solved = solve("sarsop", "rocksample", {"problem.n=4", "problem.k=4"});
  EXPECT_LE(solved.upper() - solved.lower(), 1e-3);
  EXPECT_NEAR(solved.lower(), 17.9245, 1.1e-3) << "what APPL's SARSOP finds";
  double half = 0.0;
  const double mean = simulated(solved, 10000, &half);
  EXPECT_NEAR(mean, solved.lower(), 2.0 * half) << "four standard errors";
}

TEST_F(PointBased, SarsopsPolicyIsWorthItsLowerBoundWhereVectorsWereDropped) {
  // Illegal moves cost 100 here: a policy that lacks what its vectors rest on is worth 20.4.
  const Solved solved = solve("sarsop", "rocksample", {"problem.n=7", "problem.k=8"}, {.gap = 3.2});
  EXPECT_GT(solved.lower(), 21.0);
  double half = 0.0;
  const double mean = simulated(solved, 3000, &half);
  EXPECT_GE(mean, solved.lower() - 1.5 * half) << "three standard errors";
}

class PointBasedBits : public PointBased, public testing::WithParamInterface<const char*> {};

TEST_P(PointBasedBits, DependOnNeitherThreadsNorRestarts) {
  const std::string planner = GetParam();
  // So many vectors and points that threads share a backup.
  const std::initializer_list<const char*> options{"problem.n=5", "problem.k=5"};
  const RunIdentity run{"rocksample", planner, 7, "settings"};
  Solved whole = begin(planner, "rocksample", options);
  NullLog quiet;
  bpo::solve(*whole.solution, {.iterations = 16}, quiet);
  {
    ThreadPool one(1);
    Config config;
    for (const char* option : options) config.set(option);
    const SolverSetup setup = solvers().at(planner).resolve("rocksample", config);
    const auto problem = setup.problem.build();
    const auto alone = setup.solver->start(*problem, 7, one);
    bpo::solve(*alone, {.iterations = 16}, quiet);
    EXPECT_EQ(alone->checkpoint_bytes(run, {}), whole.solution->checkpoint_bytes(run, {}));
  }
  Solved first = begin(planner, "rocksample", options);
  bpo::solve(*first.solution, {.iterations = 8}, quiet);
  const std::string file = path("checkpoint.safetensors");
  write_file_atomic(file, first.solution->checkpoint_bytes(run, {17, 2.5}));
  Solved second = begin(planner, "rocksample", options);
  const RunPosition at = second.solution->restore(file, run);
  EXPECT_EQ(at.metrics_bytes, 17u);
  EXPECT_EQ(at.seconds, 2.5);
  bpo::solve(*second.solution, {.iterations = 16}, quiet);
  EXPECT_EQ(second.solution->checkpoint_bytes(run, {}), whole.solution->checkpoint_bytes(run, {}));
}

INSTANTIATE_TEST_SUITE_P(All, PointBasedBits, testing::Values("sarsop", "pbvi", "perseus"));

TEST_F(PointBased, PbviAndPerseusAreWorthWhatTheirVectorsSay) {
  // With few beliefs most of an episode is away from them.
  for (const char* planner : {"pbvi", "perseus"}) {
    const Solved solved =
        solve(planner, "chain", {"problem.horizon=30", "planner.beliefs=500"}, {.iterations = 40});
    double half = 0.0;
    const double mean = simulated(solved, 10000, &half);
    EXPECT_GE(mean, solved.lower() - 2.0 * half) << planner;
  }
}

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
