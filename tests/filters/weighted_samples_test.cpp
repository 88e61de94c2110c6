#include "bpo/filters/weighted_samples.h"

#include <gtest/gtest.h>

#include <numeric>

namespace bpo {
namespace {

TEST(WeightedSamples, AreDrawnAgainInProportionToTheirWeights) {
  const std::vector<double> p{0.05, 0.0, 0.55, 0.4};
  std::vector<int> from(40), count(4, 0);
  resample(p, 0.3, from);
  for (const int i : from) ++count[static_cast<std::size_t>(i)];
  EXPECT_EQ(count, (std::vector<int>{2, 0, 22, 16}));
  EXPECT_TRUE(std::is_sorted(from.begin(), from.end()));
}

TEST(WeightedSamples, TakeALikelihoodInByPowersThatLeaveEnough) {
  const std::vector<double> p(100, 0.01);
  std::vector<double> l(100);
  for (int i = 0; i < 100; ++i) l[i] = -2.0 * i;
  const double power = largest_power(p, l, 1.0, 50.0);
  EXPECT_LT(power, 0.1);
  EXPECT_NEAR(effective_samples(p, l, power), 50.0, 0.01);
  for (double& x : l) x *= 1e-4;
  EXPECT_EQ(largest_power(p, l, 0.7, 50.0), 0.7);
}

TEST(SmoothingKernel, KeepsTheMeanAndWidensTheCovarianceBySilverman) {
  constexpr std::size_t kCount = 20000, kFactors = 3;
  Rng rng(5, Use::kFilter, 0);
  std::vector<double> u, p(kCount, 1.0 / kCount);
  for (std::size_t j = 0; j < kCount; ++j) {
    const double a = rng.uniform(), b = rng.uniform();
    u.insert(u.end(), {0.4 + 0.2 * a, 0.3 + 0.1 * a + 0.2 * b, 0.7 - 0.3 * b});
  }
  const auto moment = [&](std::size_t f, std::size_t g) {
    double mean_f = 0.0, mean_g = 0.0, sum = 0.0;
    for (std::size_t j = 0; j < kCount; ++j) {
      mean_f += u[j * kFactors + f] / kCount;
      mean_g += u[j * kFactors + g] / kCount;
      sum += u[j * kFactors + f] * u[j * kFactors + g] / kCount;
    }
    return std::pair{mean_f, sum - mean_f * mean_g};
  };
  std::vector<std::pair<double, double>> before, after;
  const double width = std::pow(4.0 / (20000.0 * 5.0), 1.0 / 7.0);
  for (auto* out : {&before, &after}) {
    for (std::size_t f = 0; f < kFactors; ++f) {
      for (std::size_t g = 0; g <= f; ++g) out->push_back(moment(f, g));
    }
    if (out == &after) break;
    SmoothingKernel kernel(kFactors);
    kernel.fit(p, u);
    EXPECT_NEAR(kernel.width(), width, 1e-12);
    const std::vector<double> first(u.begin(), u.begin() + kFactors);
    for (std::size_t j = 0; j < kCount; ++j) {
      kernel.move(std::span(u).subspan(j * kFactors, kFactors), rng);
    }
    EXPECT_NE(first[0], u[0]);
  }
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_NEAR(after[i].first, before[i].first, 9e-4);  // 6 sd
    EXPECT_NEAR(after[i].second, (1.0 + width * width) * before[i].second, 2e-4);
  }
  EXPECT_NEAR(SmoothingKernel::reflected(-0.2), 0.2, 1e-15);
  EXPECT_NEAR(SmoothingKernel::reflected(1.3), 0.7, 1e-15);
}

}  // namespace
}  // namespace bpo
