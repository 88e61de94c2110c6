// Curves against evaluate() and against a belief whose entropy is known.
#include "bpo/runs/curves.h"

#include <gtest/gtest.h>

#include <cmath>

#include "bpo/core/simulate.h"
#include "tests/support/problems.h"

namespace bpo {
namespace {

TEST(Curves, EndWhereEvaluationEnds) {
  ThreadPool pool(2);
  for (const char* name : {"tiger", "chain"}) {
    const auto problem = test::make_problem(name, {"problem.horizon=12"});
    const test::ConstantPolicy policy(0, problem->spec().actions.size());
    const Curves curves = curves_of(*problem, policy, 5, 100, pool);
    ASSERT_EQ(curves.so_far.size(), 12u);
    ASSERT_EQ(curves.entropy.size(), 13u);
    EXPECT_NEAR(curves.so_far.back(), evaluate(*problem, policy, 5, 100, pool).mean(), 1e-9);
  }
}

TEST(Curves, BeginWithTheUniformBelief) {
  ThreadPool pool(1);
  const auto chain = test::make_problem("chain", {"problem.bins=8", "problem.horizon=50"});
  const Curves curves = curves_of(*chain, test::ConstantPolicy(0, 2), 5, 70, pool);
  EXPECT_NEAR(curves.entropy.front(), std::log(8.0), 1e-6);
  EXPECT_LT(curves.entropy.back(), 0.6 * curves.entropy.front()) << "fifty slips tell a lot";
  for (double x : curves.entropy) EXPECT_GE(x, 0.0);
}

}  // namespace
}  // namespace bpo
