// The code of docs/adding-a-problem.md and docs/adding-an-algorithm.md, compiled as it stands there
// and used as they say.
#include <gtest/gtest.h>

#include <cmath>

#include "bpo/algorithms/train.h"
#include "bpo/core/simulate.h"
#include "bpo/filters/grid.h"
#include "bpo/planners/planner.h"
#include "documents/algorithm.inc"
#include "tests/support/problems.h"

namespace bpo {
namespace {

#include "documents/coin.inc"

struct MyOptions {
  std::int64_t action = 1;
  void visit(OptionVisitor& v) { v.integer("action", action, {0, 1}, "the one to take"); }
};
std::unique_ptr<Policy> make(const AnyProblem& problem, const MyOptions& options) {
  return std::make_unique<test::ConstantPolicy>(static_cast<int>(options.action),
                                                problem.spec().actions.size());
}
#include "documents/planner.inc"

double trained(const std::string& algorithm) {
  Config config;
  for (const char* set : {"algo.iterations=20", "optimizer.batch_steps=5000"}) config.set(set);
  const TrainSetup setup = make_setup("coin", algorithm, config);
  ThreadPool pool(1);
  Trainer trainer(*setup.problem, setup.method, setup.train, setup.optimizer, 0, pool);
  while (!trainer.finished()) trainer.iterate();
  return evaluate(*setup.problem, *trainer.best_policy(), 5, 2000, pool).mean();
}

TEST(Documents, TheCoinIsLearntToBeGuessed) {
  // Who knows the bias is right in 3/4 of 50 tosses on average, who guesses blindly in half.
  EXPECT_GT(trained("bpo"), 33.0);
  EXPECT_LT(trained("bpo"), 37.5);
}

TEST(Documents, TheAlgorithmTrainsOnTheWorstShare) {
  EXPECT_TRUE(algorithms().at("robust-bpo").method.worst_share);
  EXPECT_GT(trained("robust-bpo"), 20.0);
}

TEST(Documents, ThePlannerIsThere) {
  Config config;
  const SolverSetup setup = solvers().at("my-planner").resolve("coin", config);
  const auto problem = setup.problem.build();
  ThreadPool pool(1);
  const auto policy = setup.solver->start(*problem, 0, pool)->policy();
  EXPECT_NEAR(evaluate(*problem, *policy, 5, 2000, pool).mean(), 25.0, 2.0);
}

}  // namespace
}  // namespace bpo
