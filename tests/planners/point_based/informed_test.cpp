// mdp, qmdp and fib: exact values of Tiger, bounds that hold after every sweep, policies that are
// worth what theory says, and the same bits after a restart.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "bpo/core/file.h"
#include "bpo/core/problem_file.h"
#include "bpo/planners/exact.h"
#include "bpo/planners/point_based/values.h"
#include "tests/planners/point_based/solving.h"
#include "tests/problems/tabular/random_tables.h"
#include "tests/support/expectimax.h"

namespace bpo {
namespace {

using test::PointBased;
using test::Solved;

class Informed : public PointBased {
 protected:
  double upper(const std::string& planner, const std::string& problem,
               std::initializer_list<const char*> options) {
    const Solved solved = solve(planner, problem, options);
    EXPECT_TRUE(solved.solution->finished());
    EXPECT_TRUE(std::isnan(solved.last["lower"])) << "nothing says what its policy is worth";
    EXPECT_TRUE(std::isnan(solved.last["gap"]));
    return solved.upper();
  }
};

/// V = 10 + gamma V where the tiger is seen, so V = 200. Known after a step, one listens first. The
/// fast informed bound knows nothing of where the tiger goes when a door opens: with M the value
/// there, V = 10 + gamma M and M = -1 + gamma V, so V = (10 - gamma) / (1 - gamma^2).
TEST_F(Informed, BoundsOfTigerAreExact) {
  constexpr double kDiscount = 0.95;
  constexpr const char* kEndless = "problem.horizon=2000";
  EXPECT_NEAR(upper("mdp", "tiger", {kEndless}), 200.0, 1e-6);
  EXPECT_NEAR(upper("qmdp", "tiger", {kEndless}), -1.0 + kDiscount * 200.0, 1e-6);
  const double seen = (10.0 - kDiscount) / (1.0 - kDiscount * kDiscount);
  EXPECT_NEAR(upper("fib", "tiger", {kEndless}), -1.0 + kDiscount * seen, 1e-6);
}

TEST_F(Informed, BoundsOfThreeStepsOfTigerAreExact) {
  constexpr const char* kThree = "problem.horizon=3";
  EXPECT_NEAR(upper("mdp", "tiger", {kThree}), 10.0 + 9.5 + 9.025, 1e-12);
  EXPECT_NEAR(upper("qmdp", "tiger", {kThree}), -1.0 + 9.5 + 9.025, 1e-12);
  // With two steps left one opens where the tiger is known, for 10 and then -1: 9.05.
  EXPECT_NEAR(upper("fib", "tiger", {kThree}), -1.0 + 0.95 * 9.05, 1e-12);
}

/// Left pays 1 and right nothing, one moves at will and sees nothing: the fast informed bound is
/// that of moving left, which every policy reaches.
TEST_F(Informed, ASmallFileHasItsExactValues) {
  const std::string file = path("walk.pomdp");
  write_file_atomic(file,
                    "discount: 0.5\nstates: left right\nactions: to-left to-right\n"
                    "observations: nothing\nT: to-left : * : left 1\nT: to-right : * : right 1\n"
                    "O: * uniform\nR: * : left : * : * 1\nstart: 0.25 0.75\n");
  const std::string walk = open_problem(file);
  for (const char* planner : {"mdp", "qmdp", "fib"}) {
    EXPECT_NEAR(upper(planner, walk, {}), 0.25 + 0.5 * 2.0, 1e-8) << planner;
  }
  const Solved solved = solve("qmdp", walk);
  double half = 0.0;
  const double mean = simulated(solved, 4000, &half);
  EXPECT_NEAR(mean, 1.25, 2.0 * half) << "four standard errors";
}

/// Once they heard the tiger twice on one side qmdp and fib open the other, as the best policy
/// does. The most likely state of even odds is the first, so mdp opens the other door at once, and
/// again.
TEST_F(Informed, PoliciesOfTigerAreWorthWhatTheyDo) {
  const auto worth = [&](const char* planner) {
    const Solved solved = solve(planner, "tiger");
    return exact_value(*solved.problem->information(), *solved.solution->policy(), pool_).value;
  };
  const Solved any = begin("qmdp", "tiger");
  const double best = exact_optimum(*any.problem->information(), pool_).optimum;
  EXPECT_NEAR(worth("qmdp"), best, 0.01);
  EXPECT_NEAR(worth("fib"), best, 0.05);
  EXPECT_LE(worth("qmdp"), best + 1e-9);
  EXPECT_NEAR(worth("mdp"), -45.0 * (1.0 - std::pow(0.95, 100)) / 0.05, 1e-6);
}

TEST_F(Informed, BoundsHoldAfterEverySweep) {
  using Kind = ValueSweeps::Kind;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    TabularModel m = test::random_tables(1 + static_cast<int>(seed % 3), 3, 3, 2, seed);
    m.discount = 0.7;
    m.horizon = 4;
    const double best = test::expectimax(m);
    // Rewards are in [-1/2, 1/2]: so much may follow after four steps.
    const double rest = 0.5 * std::pow(m.discount, 4) / (1.0 - m.discount);
    for (const int stages : {4, 0}) {
      const PointModel model(m, stages);
      const double after = stages == 0 ? rest : 0.0;
      for (const Kind kind : {Kind::kMdp, Kind::kFib, Kind::kBlind}) {
        ValueSweeps sweeps(model, pool_, kind);
        int count = 0;
        for (; !sweeps.done(); ++count) {
          const double bound = initial_value(model, sweeps.values()) + sweeps.slack();
          if (kind == Kind::kBlind) {
            EXPECT_LE(bound, best + after + 1e-9) << seed << " after " << count;
          } else {
            EXPECT_GE(bound, best - after - 1e-9) << seed << " after " << count;
          }
          sweeps.sweep();
        }
        EXPECT_GE(count, 4);
        EXPECT_EQ(sweeps.slack(), 0.0);
      }
    }
  }
}

/// Without an end, and in stages.
TEST_F(Informed, StopsAndGoesOnToTheSameBits) {
  const auto check = [&](const std::string& planner, const std::string& problem,
                         std::initializer_list<const char*> options) {
    const RunIdentity run{problem, planner, 7, "settings"};
    const Solved whole = solve(planner, problem, options);
    Solved first = begin(planner, problem, options);
    NullLog quiet;
    bpo::solve(*first.solution, {.iterations = 1}, quiet);
    ASSERT_FALSE(first.solution->finished());
    const std::string file = path("checkpoint.safetensors");
    write_file_atomic(file, first.solution->checkpoint_bytes(run, {}));
    ThreadPool one(1);
    Config config;
    for (const char* option : options) config.set(option);
    const SolverSetup setup = solvers().at(planner).resolve(problem, config);
    const auto built = setup.problem.build();
    const auto second = setup.solver->start(*built, 7, one);
    second->restore(file, run);
    test::Keep log;
    bpo::solve(*second, {}, log);
    EXPECT_EQ(log.last["upper"], whole.upper());
    EXPECT_EQ(second->checkpoint_bytes(run, {}), whole.solution->checkpoint_bytes(run, {}));
  };
  for (const char* planner : {"mdp", "qmdp", "fib"}) {
    SCOPED_TRACE(planner);
    check(planner, "rocksample", {"problem.n=7", "problem.k=8"});
    check(planner, "chain", {"problem.bins=1000", "problem.horizon=300"});
  }
}

TEST_F(Informed, WhatTakesTooMuchIsRefusedBeforeItIsMade) {
  const auto refused = [&](const TabularModel& m, int stages, double limit) -> std::string {
    try {
      const PointModel model(m, stages, limit);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  const TabularModel m = test::random_tables(1, 40, 2, 40, 1);
  double count = 0.0;
  for (int s = 0; s < m.states; ++s) {
    for (const auto& to : m.transition[0].row(s)) count += m.observation[0].row(to.column).size();
  }
  // Each takes 24 bytes, and as many again while they are sorted.
  const std::string too_many = refused(m, 0, 48.0 * count - 1.0);
  EXPECT_NE(too_many.find(fmt::format("action 0: {:.0f} combinations", count)), std::string::npos)
      << too_many;
  EXPECT_EQ(refused(m, 0, 144.0 * count), "");
  EXPECT_NE(refused(m, 20000, 1e7).find("values of 40 states in 20000 stages"), std::string::npos)
      << refused(m, 20000, 1e7);
}

}  // namespace
}  // namespace bpo
