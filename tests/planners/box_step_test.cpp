// The step within a box satisfies the conditions of an optimum, which is unique.
#include "bpo/planners/box_step.h"

#include <gtest/gtest.h>

#include "bpo/core/rng.h"

namespace bpo {
namespace {

TEST(BoxStep, IsOptimal) {
  int held = 0, free = 0;
  for (int round = 0; round < 200; ++round) {
    Rng rng(1, Use::kInit, static_cast<std::uint64_t>(round));
    const int n = 1 + rng.below(12);
    Eigen::MatrixXd root(n, n);
    Eigen::VectorXd g(n), low(n), high(n);
    for (int i = 0; i < n; ++i) {
      g[i] = 3.0 * rng.normal();
      low[i] = -rng.uniform();
      high[i] = rng.uniform();
      for (int j = 0; j < n; ++j) root(i, j) = rng.normal();
    }
    const Eigen::MatrixXd h = root * root.transpose() + 0.01 * Eigen::MatrixXd::Identity(n, n);
    const Eigen::VectorXd d = box_step(h, g, low, high), slope = g + h * d;
    for (int i = 0; i < n; ++i) {
      ASSERT_GE(d[i], low[i]);
      ASSERT_LE(d[i], high[i]);
      if (d[i] == low[i]) {
        EXPECT_GE(slope[i], -1e-6);
      } else if (d[i] == high[i]) {
        EXPECT_LE(slope[i], 1e-6);
      } else {
        EXPECT_NEAR(slope[i], 0.0, 1e-5);
        ++free;
        continue;
      }
      ++held;
    }
  }
  EXPECT_GT(held, 100);
  EXPECT_GT(free, 100);
}

TEST(BoxStep, WithoutLimitsIsNewtons) {
  const Eigen::MatrixXd h{{4.0, 1.0}, {1.0, 3.0}};
  const Eigen::VectorXd g{{1.0, -2.0}}, far = Eigen::VectorXd::Constant(2, 1e3);
  EXPECT_LT((box_step(h, g, -far, far) + h.inverse() * g).norm(), 1e-12);
}

}  // namespace
}  // namespace bpo
