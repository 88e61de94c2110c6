// Compiled models against their tables, and the bounds that values of states give.
#include "bpo/planners/point_based/values.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/problems/tabular/random_tables.h"
#include "tests/support/expectimax.h"
#include "tests/support/problems.h"

namespace bpo {
namespace {

using test::make_problem;

TabularModel random_tables(std::uint64_t seed, int visible, int hidden, int horizon,
                           double discount) {
  TabularModel m = test::random_tables(visible, hidden, 3, 2, seed);
  m.horizon = horizon;
  m.discount = discount;
  return m;
}

TEST(PointModel, MovesBeliefsAsItsTablesSay) {
  for (const int visible : {1, 3}) {
    const TabularModel m = random_tables(3, visible, 4, 0, 0.9);
    const PointModel model(m, 0);
    std::vector<double> b(4, 0.25), next(4);
    for (int x = 0; x < visible; ++x) {
      for (int a = 0; a < m.actions; ++a) {
        double total = 0.0;
        for (const StepBranch& branch : model.branches(x, a)) {
          total += model.matrix(branch).forward(b, next);
          for (int y = 0; y < 4; ++y) {
            double expected = 0.0;
            for (int from = 0; from < 4; ++from) {
              for (const auto& to : m.transition[a].row(x * 4 + from)) {
                if (to.column != branch.x * 4 + y) continue;
                for (const auto& o : m.observation[a].row(to.column)) {
                  if (o.column == branch.o) expected += b[from] * to.value * o.value;
                }
              }
            }
            EXPECT_NEAR(next[y], expected, 1e-15);
          }
          std::vector<double> alpha{1.0, -2.0, 3.0, 0.5}, back(4);
          model.matrix(branch).backward(alpha, 1.0, back);
          EXPECT_NEAR(inner(back, b), inner(alpha, next), 1e-14) << "b (M alpha) = (b M) alpha";
        }
        EXPECT_NEAR(total, 1.0, 1e-12);
      }
    }
  }
}

TEST(PointModel, KeepsEqualMatricesOnce) {
  const auto rocks = make_problem("rocksample", {"problem.n=4", "problem.k=4"})->tabular();
  const PointModel model(*rocks, 0);
  EXPECT_EQ(model.visible(), 17);
  EXPECT_EQ(model.hidden(), 16);
  EXPECT_LT(model.bytes(), 120e3);  // 217 branches of 16 numbers, nearly all of them moves
}

TEST(PointModel, LeavesOutAHorizonThatDoesNotMatter) {
  TabularModel m = random_tables(1, 1, 3, 100, 0.95);
  EXPECT_EQ(stages_of(m, 1e-3), 100);
  m.horizon = 1000;
  EXPECT_EQ(stages_of(m, 1e-3), 0);
  m.discount = 1.0;
  EXPECT_EQ(stages_of(m, 1e-3), 1000);
}

class Bounds : public testing::Test {
 protected:
  ThreadPool pool_{2};
};

TEST_F(Bounds, EncloseWhatIsBest) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const TabularModel m = random_tables(seed, 1 + static_cast<int>(seed % 3), 3, 4, 0.9);
    const double best = test::expectimax(m);
    const PointModel model(m, 4);
    const double mdp = initial_value(model, mdp_values(model, pool_));
    const double fib = initial_value(model, fib_values(model, pool_));
    EXPECT_GE(fib, best - 1e-12);
    EXPECT_GE(mdp, fib - 1e-12);
    EXPECT_LE(initial_value(model, blind_values(model, pool_)), best + 1e-12);
  }
}

TEST_F(Bounds, AreExactWhereNothingIsHidden) {
  const TabularModel m = random_tables(5, 6, 1, 4, 1.0);
  const PointModel model(m, 4);
  EXPECT_NEAR(initial_value(model, mdp_values(model, pool_)), test::expectimax(m), 1e-12);
  EXPECT_NEAR(initial_value(model, fib_values(model, pool_)), test::expectimax(m), 1e-12);
}

/// Tiger without an end. Known after a step: V = 10 + gamma V, so V = 200, and first one listens or
/// opens; blind listening costs 1 / (1 - gamma).
TEST_F(Bounds, OfTigerAreKnown) {
  TabularModel tiger = *make_problem("tiger")->tabular();
  const PointModel model(tiger, 0);
  EXPECT_NEAR(initial_value(model, mdp_values(model, pool_)), -1.0 + 0.95 * 200.0, 1e-6);
  const double fib = initial_value(model, fib_values(model, pool_));
  EXPECT_LT(fib, 90.0);
  EXPECT_GT(fib, 19.3714);
  const ActionValues blind = blind_values(model, pool_);
  EXPECT_NEAR(blind.row(0, 0)[0], -20.0, 1e-6);
}

TEST_F(Bounds, StayBoundsWhenIterationIsCutShort) {
  // With a discount this near 1 the sweeps end before values are still.
  TabularModel m = random_tables(9, 1, 3, 0, 0.99999);
  const PointModel model(m, 0);
  const ActionValues mdp = mdp_values(model, pool_), blind = blind_values(model, pool_);
  EXPECT_GE(initial_value(model, mdp), initial_value(model, blind));
  std::vector<double> v(3);
  mdp.maximum(0, v);
  for (int a = 0; a < m.actions; ++a) {
    for (int y = 0; y < 3; ++y) {
      double q = m.reward[static_cast<std::size_t>(y) * m.actions + a];
      for (const auto& to : m.transition[a].row(y)) q += m.discount * to.value * v[to.column];
      EXPECT_LE(q, v[y] + 1e-9) << "an upper bound that no backup raises";
    }
  }
}

}  // namespace
}  // namespace bpo
