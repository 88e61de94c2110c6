// Advantages against the formula, term by term.
#include "bpo/optimizers/advantages.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <vector>

#include "tests/support/batches.h"

namespace bpo {
namespace {

const NetworkSpec kSpec{.state_dim = 2, .belief_dim = 1, .outputs = 2};

/// A_t = sum_k (gamma lambda)^k (r_{t+k} + gamma V_{t+k+1} - V_{t+k}), V = 0 after the end.
std::vector<double> naive(const Batch& batch, const std::vector<double>& values, double gamma,
                          double lambda) {
  std::vector<double> out(batch.steps(), 0.0);
  for (int e = 0; e < batch.episodes(); ++e) {
    const int end = batch.start[e + 1];
    for (int t = batch.start[e]; t < end; ++t) {
      for (int k = t; k < end; ++k) {
        const double next = k + 1 < end ? values[k + 1] : 0.0;
        out[t] += std::pow(gamma * lambda, k - t) * (batch.reward[k] + gamma * next - values[k]);
      }
    }
  }
  return out;
}

RC_GTEST_PROP(Advantages, AreTheFormula, ()) {
  const auto seed = *rc::gen::inRange<std::uint64_t>(0, 100000);
  const double gamma = *rc::gen::inRange(0, 101) / 100.0,
               lambda = *rc::gen::inRange(0, 101) / 100.0;
  const Batch batch = test::random_batch(kSpec, 8, seed);
  const auto values = test::random_advantages(batch, seed + 1);
  const auto expected = naive(batch, values, gamma, lambda);
  const auto got = generalized_advantages(batch, values, gamma, lambda);
  const auto returns = lambda_returns(batch, values, gamma, lambda);
  for (int i = 0; i < batch.steps(); ++i) {
    RC_ASSERT(std::abs(got[i] - expected[i]) < 1e-10);
    RC_ASSERT(std::abs(returns[i] - (values[i] + expected[i])) < 1e-10);
  }
}

TEST(Advantages, SpecialCases) {
  const Batch batch = test::random_batch(kSpec, 10, 1);
  const auto values = test::random_advantages(batch, 2);
  const auto to_go = rewards_to_go(batch, 0.9);
  EXPECT_EQ(lambda_returns(batch, values, 0.9, 1.0), to_go);
  const auto td = generalized_advantages(batch, values, 0.9, 0.0);
  const auto monte_carlo = generalized_advantages(batch, values, 0.9, 1.0);
  for (int e = 0; e < batch.episodes(); ++e) {
    double sum = 0.0;
    for (int i = batch.start[e + 1] - 1; i >= batch.start[e]; --i) {
      const bool last = i + 1 == batch.start[e + 1];
      sum = batch.reward[i] + 0.9 * sum;
      EXPECT_NEAR(to_go[i], sum, 1e-12);
      EXPECT_NEAR(monte_carlo[i], sum - values[i], 1e-12);
      EXPECT_NEAR(td[i], batch.reward[i] + (last ? 0.0 : 0.9 * values[i + 1]) - values[i], 1e-12);
    }
  }
}

TEST(Standardize, MeanZeroVarianceOneOverWhatIsKept) {
  for (bool masked : {false, true}) {
    std::vector<double> a = {5, 1, 7, 9, 100, -3, 2};
    std::vector<std::uint8_t> keep;
    if (masked) keep = {1, 1, 0, 1, 0, 1, 1};
    const std::vector<double> before = a;
    standardize(a, keep);
    double n = 0.0, mean = 0.0, variance = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (masked && !keep[i]) continue;
      n += 1.0;
      mean += a[i];
      variance += a[i] * a[i];
    }
    EXPECT_NEAR(mean / n, 0.0, 1e-9);
    EXPECT_NEAR(variance / n, 1.0, 1e-6);
    for (std::size_t i = 1; i < a.size(); ++i) EXPECT_EQ(a[i] > a[0], before[i] > before[0]);
  }
}

TEST(Standardize, EqualAdvantagesBecomeZero) {
  std::vector<double> a(5, 3.0);
  standardize(a, {});
  for (double x : a) EXPECT_EQ(x, 0.0);
}

TEST(ExplainedVariance, Formula) {
  const std::vector<double> y = {1, 2, 3, 6};
  EXPECT_NEAR(explained_variance(y, y), 1.0, 1e-12);
  EXPECT_NEAR(explained_variance({2, 3, 4, 7}, y), 1.0, 1e-12);  // an offset explains the variance
  EXPECT_NEAR(explained_variance({0, 0, 0, 0}, y), 0.0, 1e-12);
  EXPECT_NEAR(explained_variance({-1, -2, -3, -6}, y), -3.0, 1e-12);
  EXPECT_EQ(explained_variance({1, 2}, {5, 5}), 0.0);
}

}  // namespace
}  // namespace bpo
