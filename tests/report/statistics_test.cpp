// Statistics against known values and, for intervals, against the coverage they promise. Coverage
// is counted over simulations with a fixed seed; a band of 4.5 standard deviations of the count
// would be missed by chance once in 150,000 seeds.
#include "bpo/report/statistics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "bpo/core/rng.h"

namespace bpo::report {
namespace {

std::vector<double> normals(int n, double mean, double sd, std::uint64_t trial, std::uint32_t id) {
  Rng rng(7, Use::kWorld, trial, id);
  std::vector<double> out(n);
  for (double& x : out) x = mean + sd * rng.normal();
  return out;
}

/// The share of trials in which `covers` holds lies within 4.5 standard deviations of [low, high].
template <class Covers>
void expect_coverage(int trials, double low, double high, Covers covers) {
  int hits = 0;
  for (int trial = 0; trial < trials; ++trial) hits += covers(trial);
  const double share = static_cast<double>(hits) / trials;
  const auto slack = [&](double p) { return 4.5 * std::sqrt(p * (1.0 - p) / trials); };
  EXPECT_GT(share, low - slack(low));
  EXPECT_LT(share, high + slack(high));
}

bool inside(const Mean& m, double truth) { return std::abs(m.mean - truth) <= m.half; }
bool inside(const Estimate& e, double truth) { return e.low <= truth && truth <= e.high; }

TEST(Student, Quantiles) {
  EXPECT_NEAR(t_quantile(1), 12.7062, 1e-4);
  EXPECT_NEAR(t_quantile(9), 2.2622, 1e-4);
  EXPECT_NEAR(t_quantile(20), 2.0860, 1e-4);
  EXPECT_NEAR(t_quantile(21), 2.0796, 1e-3);
  EXPECT_NEAR(t_quantile(1000), 1.9623, 1e-4);
  EXPECT_EQ(t_quantile(2.9), t_quantile(2)) << "fewer degrees are the careful side";
  EXPECT_EQ(t_quantile(0.5), t_quantile(1));
}

TEST(Means, OfKnownNumbers) {
  const std::vector<double> x{1.0, 2.0, 6.0};  // variance 7
  EXPECT_DOUBLE_EQ(over_seeds(x).mean, 3.0);
  EXPECT_NEAR(over_seeds(x).half, 4.3027 * std::sqrt(7.0 / 3.0), 1e-12);
  EXPECT_NEAR(over_episodes(x).half, 1.95996 * std::sqrt(7.0 / 3.0), 1e-4);
  EXPECT_FALSE(over_seeds(std::vector{5.0}).has_interval());
  EXPECT_FALSE(over_episodes(std::vector{5.0}).has_interval());
  EXPECT_TRUE(over_episodes(std::vector{5.0, 5.0}).has_interval());
  EXPECT_EQ(best_of(x), 2u);
}

TEST(Means, IntervalsOverSeedsCover) {
  for (int n : {3, 5, 20}) {
    expect_coverage(4000, 0.95, 0.95,
                    [&](int t) { return inside(over_seeds(normals(n, 4.0, 3.0, t, n)), 4.0); });
  }
}

TEST(Means, IntervalsOverEpisodesCover) {
  // Exponential returns: skewed, but there are many of them.
  expect_coverage(2000, 0.94, 0.95, [](int t) {
    Rng rng(8, Use::kWorld, t);
    std::vector<double> x(500);
    for (double& v : x) v = -std::log(rng.uniform());
    return inside(over_episodes(x), 1.0);
  });
}

TEST(Differences, PairingRemovesWhatIsCommon) {
  const std::vector<double> luck = normals(1000, 0.0, 100.0, 0, 1);
  const std::vector<double> noise = normals(1000, 1.0, 1.0, 0, 2);
  std::vector<double> lucky = luck;
  for (std::size_t e = 0; e < luck.size(); ++e) lucky[e] += noise[e];
  const Mean gap = paired_difference(lucky, luck);
  EXPECT_NEAR(gap.mean, mean_of(noise), 1e-9);
  EXPECT_NEAR(gap.half, over_episodes(noise).half, 1e-9);
  EXPECT_EQ(paired_difference(luck, luck).half, 0.0);
}

TEST(Differences, PairedIntervalsCover) {
  expect_coverage(2000, 0.95, 0.95, [](int t) {
    const auto luck = normals(200, 0.0, 10.0, t, 3);
    auto a = normals(200, 0.5, 1.0, t, 4), b = normals(200, 0.0, 2.0, t, 5);
    for (std::size_t e = 0; e < luck.size(); ++e) a[e] += luck[e], b[e] += luck[e];
    return inside(paired_difference(a, b), 0.5);
  });
}

TEST(Differences, SeedIntervalsCover) {
  // Welch's interval on few seeds errs on the safe side, the more so as whole degrees are used.
  expect_coverage(4000, 0.95, 0.985, [](int t) {
    return inside(seed_difference(normals(5, 2.0, 1.0, t, 6), normals(3, 1.0, 3.0, t, 7)), 1.0);
  });
  EXPECT_EQ(seed_difference(std::vector{2.0, 2.0}, std::vector{1.0, 1.0}).half, 0.0);
}

TEST(InterquartileMean, OfKnownNumbers) {
  EXPECT_DOUBLE_EQ(interquartile_mean(std::vector{5.0}), 5.0);
  EXPECT_DOUBLE_EQ(interquartile_mean(std::vector{100.0, 1.0, 3.0, -50.0}), 2.0);
  // The middle one of three counts in full and each other with a quarter.
  EXPECT_DOUBLE_EQ(interquartile_mean(std::vector{0.0, 1.0, 10.0}), (0.0 * .25 + 1.0 + 2.5) / 1.5);
  const std::vector<Stratum> strata{{1.0, 100.0}, {3.0, -50.0}};
  EXPECT_DOUBLE_EQ(interquartile_mean(strata), 2.0);
}

TEST(Bootstrap, KeepsToItsStrata) {
  const std::vector<Stratum> strata{{1.0, 1.0, 1.0}, {5.0, 5.0}};
  const Statistic mean = [](std::span<const Stratum> s) { return mean_of(s[0]) + mean_of(s[1]); };
  const Estimate e = bootstrap(strata, mean);
  EXPECT_EQ(e.value, 6.0);
  EXPECT_EQ(e.low, 6.0) << "a draw from the other stratum would change the sum";
  EXPECT_EQ(e.high, 6.0);
}

TEST(Bootstrap, IsTheSameEachTime) {
  const std::vector<Stratum> strata{normals(6, 0, 1, 1, 1)};
  const Statistic iqm = [](std::span<const Stratum> s) { return interquartile_mean(s); };
  const Estimate a = bootstrap(strata, iqm), b = bootstrap(strata, iqm);
  EXPECT_EQ(a.low, b.low);
  EXPECT_EQ(a.high, b.high);
  EXPECT_LT(a.low, a.value);
  EXPECT_GT(a.high, a.value);
}

TEST(Bootstrap, IntervalsCoverAtTheSeedsUsed) {
  const Statistic iqm = [](std::span<const Stratum> s) { return interquartile_mean(s); };
  for (int n : {5, 10}) {
    for (int problems : {1, 6}) {
      expect_coverage(600, 0.93, 0.97, [&](int t) {
        std::vector<Stratum> strata;
        for (int k = 0; k < problems; ++k) strata.push_back(normals(n, 1.0, 1.0, t, 20 + k));
        return inside(bootstrap(strata, iqm, 400), 1.0);
      });
    }
  }
}

TEST(Bootstrap, ThreeRunsOfOneProblemAreTooFew) {
  // No resample lies beyond the runs themselves, and three of them often miss the truth.
  const Statistic iqm = [](std::span<const Stratum> s) { return interquartile_mean(s); };
  expect_coverage(600, 0.65, 0.8, [&](int t) {
    return inside(bootstrap(std::vector<Stratum>{normals(3, 1.0, 1.0, t, 30)}, iqm, 400), 1.0);
  });
}

TEST(Improvement, CountsPairs) {
  const auto p = [](std::vector<double> x, std::vector<double> y) {
    return probability_of_improvement(x, y).value;
  };
  EXPECT_EQ(p({2, 3}, {0, 1}), 1.0);
  EXPECT_EQ(p({0, 1}, {2, 3}), 0.0);
  EXPECT_EQ(p({1, 1}, {1}), 0.5);
  EXPECT_EQ(p({0, 2}, {1, 1, 1}), 0.5);
  EXPECT_EQ(p({0, 2, 4}, {1, 3}), 0.5);
}

TEST(Improvement, IntervalsCoverAtTheSeedsUsed) {
  for (int n : {5, 10, 20}) {
    for (double gap : {0.0, 1.0, 3.0}) {
      const double truth = 0.5 * std::erfc(-0.5 * gap);  // Phi(gap / sqrt 2)
      expect_coverage(1000, 0.94, 0.97, [&](int t) {
        const auto x = normals(n, gap, 1.0, t, 11), y = normals(n, 0.0, 1.0, t, 12);
        return inside(probability_of_improvement(x, y), truth);
      });
    }
  }
}

TEST(Improvement, FewRunsAreNeverCertain) {
  const Estimate few =
      probability_of_improvement(std::vector{2.0, 3.0, 4.0}, std::vector{0.0, 1.0});
  EXPECT_EQ(few.value, 1.0);
  EXPECT_LT(few.low, 0.8);
  EXPECT_NEAR(few.high, 1.0, 1e-12);
  EXPECT_GT(probability_of_improvement(normals(30, 9, 1, 1, 1), normals(30, 0, 1, 1, 2)).low, 0.9);
}

TEST(Profile, FallsFromOneToZero) {
  const std::vector<Stratum> strata{{0.5, 1.0}, {2.0}};
  const std::vector<double> taus{0.0, 0.5, 0.9, 1.5, 2.0};
  EXPECT_EQ(performance_profile(strata, taus), (std::vector<double>{1.0, 0.75, 0.75, 0.5, 0.0}));
}

}  // namespace
}  // namespace bpo::report
