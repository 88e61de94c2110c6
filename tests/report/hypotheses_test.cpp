// Tests of differences against known values, and Holm's promise by simulation: of a family without
// any true difference, at most one in twenty has a claim.
#include "bpo/report/hypotheses.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bpo/core/rng.h"
#include "bpo/report/statistics.h"

namespace bpo::report {
namespace {

TEST(Student, TailsAreThoseOfItsQuantiles) {
  for (int degrees : {1, 2, 5, 9, 20, 40, 1000}) {
    EXPECT_NEAR(t_two_sided(t_quantile(degrees), degrees), 0.05, 2e-5) << degrees;
  }
  // One degree is Cauchy's law, and two have a closed form.
  EXPECT_NEAR(t_two_sided(1.0, 1.0), 0.5, 1e-12);
  EXPECT_NEAR(t_two_sided(-2.0, 2.0), 1.0 - 2.0 / std::sqrt(6.0), 1e-12);
  EXPECT_NEAR(t_two_sided(0.0, 7.3), 1.0, 1e-12);
  EXPECT_LT(t_two_sided(60.0, 18.0), 1e-20);
}

TEST(Welch, OfKnownNumbers) {
  // Means 3 and 6, variances 1 and 4: t = -3 / sqrt(1/3 + 4/3), 50/17 degrees.
  const std::vector<double> a{2, 3, 4}, b{4, 6, 8};
  EXPECT_NEAR(*welch_p(a, b), t_two_sided(3.0 / std::sqrt(5.0 / 3.0), 50.0 / 17.0), 1e-12);
  EXPECT_EQ(welch_p(a, b), welch_p(b, a));
  EXPECT_EQ(*welch_p(a, a), 1.0);
  EXPECT_FALSE(welch_p(std::vector{2.0, 2.0}, std::vector{3.0, 3.0})) << "nothing to measure by";
}

TEST(Holm, OfKnownNumbers) {
  using Family = std::vector<std::optional<double>>;
  const Family out = holm({0.01, 0.04, std::nullopt, 0.03, 0.005});
  const Family expected{0.03, 0.06, std::nullopt, 0.06, 0.02};
  for (std::size_t k = 0; k < out.size(); ++k) {
    ASSERT_EQ(out[k].has_value(), expected[k].has_value()) << k;
    if (out[k]) {
      EXPECT_NEAR(*out[k], *expected[k], 1e-15) << k;
    }
  }
  EXPECT_EQ(holm({0.8, 0.9}), (Family{1.0, 1.0}));
  EXPECT_TRUE(holm({}).empty());
}

TEST(Holm, ClaimsNothingOfEqualsButOnceInTwenty) {
  constexpr int kTrials = 1000, kMethods = 6, kSeeds = 5;
  int uncorrected = 0, corrected = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    Rng rng(11, Use::kWorld, trial);
    const auto seeds = [&] {
      std::vector<double> out(kSeeds);
      for (double& x : out) x = rng.normal();
      return out;
    };
    std::vector<std::optional<double>> family;
    for (int k = 0; k < kMethods; ++k) family.push_back(welch_p(seeds(), seeds()));
    const auto claims = [](const auto& all) {
      return std::any_of(all.begin(), all.end(), [](const auto& p) { return *p < 0.05; });
    };
    uncorrected += claims(family);
    corrected += claims(holm(family));
  }
  const double slack = 4.5 * std::sqrt(0.05 * 0.95 * kTrials);
  EXPECT_LT(corrected, 0.05 * kTrials + slack);
  EXPECT_GT(uncorrected, 0.05 * kTrials + slack) << "the correction has nothing to do";
}

TEST(Hedges, OfKnownNumbers) {
  // Pooled variance (2 + 8) / 4; correction 1 - 3 / 15.
  EXPECT_NEAR(*hedges_g(std::vector{2.0, 3.0, 4.0}, std::vector{4.0, 6.0, 8.0}),
              -3.0 / std::sqrt(2.5) * 0.8, 1e-12);
  EXPECT_FALSE(hedges_g(std::vector{1.0, 1.0}, std::vector{2.0, 2.0}));
}

TEST(Hedges, IsUnbiasedOnFewSeeds) {
  constexpr int kTrials = 4000;
  double sum = 0.0, squares = 0.0;
  for (int trial = 0; trial < kTrials; ++trial) {
    Rng rng(12, Use::kWorld, trial);
    std::vector<double> a(5), b(5);
    for (double& x : a) x = 1.0 + rng.normal();
    for (double& x : b) x = rng.normal();
    const double g = *hedges_g(a, b);
    sum += g;
    squares += g * g;
  }
  const double mean = sum / kTrials, sd = std::sqrt(squares / kTrials - mean * mean);
  EXPECT_NEAR(mean, 1.0, 4.5 * sd / std::sqrt(kTrials));
}

}  // namespace
}  // namespace bpo::report
