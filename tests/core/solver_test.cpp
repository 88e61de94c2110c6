// The loop that all solvers share, and the table that they are found in.
#include "bpo/core/solver.h"

#include <gtest/gtest.h>

#include <atomic>

namespace bpo {
namespace {

/// Bounds that come nearer by half in every iteration of ten steps.
class Halving final : public Solution {
 public:
  bool finished() const override { return iterations_ == 20; }
  Metrics iterate() override {
    ++iterations_;
    gap_ *= 0.5;
    return {iterations_, {{"gap", gap_}}};
  }
  std::shared_ptr<const Policy> policy() const override { return nullptr; }
  std::optional<Training> training() const override {
    return Training{iterations_, 10 * iterations_};
  }

 private:
  std::int64_t iterations_ = 0;
  double gap_ = 1.0;
};

class Count final : public Log {
 public:
  void iteration(const Metrics& metrics) override { last = metrics.iteration; }
  void message(const std::string&) override {}
  std::int64_t last = 0;
};

std::int64_t iterations(const Budget& budget) {
  Halving solution;
  Count log;
  solve(solution, budget, log);
  EXPECT_EQ(log.last, solution.training()->iterations) << "every iteration is told";
  return log.last;
}

TEST(Solve, EndsWithTheSolution) { EXPECT_EQ(iterations({}), 20); }

TEST(Solve, EndsWithTheBudget) {
  EXPECT_EQ(iterations({.iterations = 3}), 3);
  EXPECT_EQ(iterations({.steps = 40}), 4);
  EXPECT_EQ(iterations({.steps = 41}), 5) << "the iteration that exceeds them is the last";
  EXPECT_EQ(iterations({.seconds = 0.0}), 1) << "however short the time, there is something new";
  EXPECT_EQ(iterations({.gap = 0.25}), 2);
  EXPECT_EQ(iterations({.gap = 0.2}), 3);
  const std::atomic<bool> stop = true;
  EXPECT_EQ(iterations({.stop = &stop}), 0);
}

TEST(Solve, GoesOnWhereItStopped) {
  Halving solution;
  Count log;
  for (const std::int64_t stop : {5, 5, 12}) {
    solve(solution, {.iterations = stop}, log);
    EXPECT_EQ(log.last, stop);
  }
}

TEST(Solvers, AreAlgorithmsAndPlanners) {
  const auto algorithms = solvers(SolverKind::kAlgorithm), planners = solvers(SolverKind::kPlanner);
  EXPECT_TRUE(algorithms.contains("bpo"));
  EXPECT_TRUE(planners.contains("belief-ilqg"));
  EXPECT_FALSE(planners.contains("bpo"));
  EXPECT_EQ(algorithms.names().size() + planners.names().size(), solvers().names().size());
  try {
    planners.at("belief-ilgq");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "unknown planner 'belief-ilgq' (did you mean 'belief-ilqg'?); `bpo list` shows "
                 "what there is");
  }
}

TEST(Solvers, ReadTheProblemsOptionsAndTheirOwn) {
  for (const auto& [name, entry] : solvers().entries()) {
    Config config;
    config.set("problem.horizon=7");
    EXPECT_EQ(entry.resolve("chain", config).problem.horizon, 7) << name;
    Config wrong;
    wrong.set("nonsense.key=1");
    EXPECT_THROW(entry.resolve("chain", wrong), Error) << name;
    EXPECT_FALSE(entry.summary.empty()) << name;
  }
}

}  // namespace
}  // namespace bpo
