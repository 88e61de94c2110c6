// Priors of latents that a file describes: what a cell of a belief over one stands for.
#include "bpo/problems/prior.h"

#include <gtest/gtest.h>

#include <cmath>

namespace bpo {
namespace {

TEST(Prior, IsCutIntoCellsOfEqualProbability) {
  const Prior normal{
      .kind = Prior::Kind::kNormal, .low = -1.0, .high = 3.0, .mean = 0.5, .sd = 1.0};
  EXPECT_NEAR(normal.quantile(0.0), -1.0, 1e-9);
  EXPECT_NEAR(normal.quantile(1.0), 3.0, 1e-6);
  const auto cdf = [](double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); };
  const double a = cdf(-1.5), b = cdf(2.5);
  EXPECT_NEAR(cdf(normal.quantile(0.3) - 0.5), a + 0.3 * (b - a), 1e-12);
  const Prior wide{.kind = Prior::Kind::kLogUniform, .low = 0.1, .high = 10.0};
  EXPECT_NEAR(wide.middle(), 1.0, 1e-12);
  const Prior few{.kind = Prior::Kind::kChoice, .values = {1, 2, 5}};
  EXPECT_EQ(few.cell_value(2, 3), 5.0);
  EXPECT_EQ(few.quantile(1.0), 5.0);
}

}  // namespace
}  // namespace bpo
