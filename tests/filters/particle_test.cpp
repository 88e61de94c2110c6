// The particle filter against the Kalman filter where that is exact, and where it is hard pressed.
#include "bpo/filters/particle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tests/support/gaussian_problems.h"

namespace bpo {
namespace {

using test::Linear;
using test::linear_problem;
using test::Truth;

using Plane = Linear<2, 2>;
constexpr std::array<float, 2> kStay{0.0f, 0.0f};

/// Largest error of the mean in standard deviations, and of the covariance relative to them.
template <int N>
std::pair<double, double> errors(const Gaussian<N>& got, const Gaussian<N>& exact) {
  const Vector<N> sd = exact.covariance.diagonal().cwiseSqrt();
  const Matrix<N> scale = (sd * sd.transpose()).cwiseInverse();
  return {(got.mean - exact.mean).cwiseQuotient(sd).cwiseAbs().maxCoeff(),
          (got.covariance - exact.covariance).cwiseProduct(scale).cwiseAbs().maxCoeff()};
}

Plane plane(double variance, int count) {
  Plane p;
  p.r = variance * Matrix<2>::Identity();
  p.count = count;
  return p;
}

/// Root mean square over episodes of ten steps of the errors after the last.
std::pair<double, double> errors_of_linear(int count) {
  constexpr int kEpisodes = 40;
  auto p = linear_problem();
  p.count = count;
  const ParticleFilter<Linear<3, 2>> particles(p);
  const EkfFilter<Linear<3, 2>> kalman(p);
  double means = 0.0, covariances = 0.0;
  for (std::uint64_t episode = 0; episode < kEpisodes; ++episode) {
    Rng rng(8, Use::kWorld, episode);
    Truth<Linear<3, 2>> truth(p, rng);
    auto w = particles.make_weights();
    auto exact = kalman.make_weights();
    for (int t = 0; t < 10; ++t) {
      const std::array<float, 2> a{0.1f * static_cast<float>(t % 3), -0.2f};
      const Vector<2> z = truth.step(a);
      EXPECT_TRUE(particles.update(w, {}, a, z));
      EXPECT_TRUE(kalman.update(exact, {}, a, z));
    }
    const auto [mean, covariance] = errors(w.moments, exact);
    means += mean * mean / kEpisodes;
    covariances += covariance * covariance / kEpisodes;
  }
  return {std::sqrt(means), std::sqrt(covariances)};
}

// A resampling of n particles, half of which count, moves their mean by sqrt(2 / n) standard
// deviations; ten steps have about twenty, whose errors fade slowly: sqrt(40 / n) = 0.1 for 4000.
// Over ten other seeds the errors were 0.08 to 0.16, so a false alarm is rarer than one in a
// hundred; a bias would not shrink with n.
TEST(ParticleFilter, OfALinearProblemIsTheKalmanFilter) {
  const auto [mean, covariance] = errors_of_linear(4000);
  EXPECT_LT(mean, 0.25);
  EXPECT_LT(covariance, 0.25);
  const auto [coarse_mean, coarse_covariance] = errors_of_linear(250);
  EXPECT_GT(coarse_mean, 2.0 * mean) << "four times as much but for chance";
  EXPECT_GT(coarse_covariance, 1.5 * covariance);
}

// From a prior a million standard deviations wide, in some twenty parts. The bounds are some three
// times the errors that were measured.
TEST(ParticleFilter, AnExtremelySharpMeasurementDoesNotCollapseIt) {
  for (const double variance : {1e-4, 1e-8, 1e-12}) {
    for (const int count : {256, 4096}) {
      const Plane p = plane(variance, count);
      const ParticleFilter<Plane> filter(p);
      auto w = filter.make_weights();
      const Vector<2> z(1.5, -0.7);
      ASSERT_TRUE(filter.update(w, {}, kStay, z));
      const auto [mean, covariance] = errors(w.moments, {z, variance * Matrix<2>::Identity()});
      EXPECT_LT(mean, count < 1000 ? 0.5 : 0.15) << variance << " " << count;
      EXPECT_LT(covariance, count < 1000 ? 0.5 : 0.15) << variance << " " << count;
    }
  }
}

// What is drawn has a mean and a covariance that are off by the draw, 1 / sqrt(n) = 0.016 standard
// deviations and sqrt(2 / n) = 2 % at most. 5 sigma of each for one, and for the mean over many
// that of the covariance; a kernel without shrinkage would add h^2 = 6 % each time.
TEST(ParticleFilter, ResamplingKeepsTheMoments) {
  int resampled = 0;
  double larger = 0.0;
  for (std::uint64_t i = 0; i < 100; ++i) {
    Rng rng(9, Use::kWorld, i);
    const Plane p = plane(0.4 + 0.15 * rng.uniform(), 4096);
    const ParticleFilter<Plane> filter(p);
    auto w = filter.make_weights();
    ASSERT_TRUE(filter.update(w, {}, kStay, {0.3 * rng.normal(), 0.3 * rng.normal()}));
    const auto [least, most] = std::minmax_element(w.w.begin(), w.w.end());
    if (*least != *most) continue;
    ++resampled;
    Gaussian<2> drawn;
    for (const auto& x : w.x) drawn.mean += x / p.count;
    for (const auto& x : w.x) {
      drawn.covariance += (x - drawn.mean) * (x - drawn.mean).transpose() / p.count;
    }
    const auto [mean, covariance] = errors(drawn, w.moments);
    EXPECT_LT(mean, 5.0 / std::sqrt(p.count));
    EXPECT_LT(covariance, 5.0 * std::sqrt(2.0 / p.count));
    larger += drawn.covariance.trace() / w.moments.covariance.trace() - 1.0;
  }
  ASSERT_GT(resampled, 15);
  EXPECT_NEAR(larger / resampled, 0.0, 5.0 * std::sqrt(2.0 / 4096 / resampled));
}

TEST(ParticleFilter, IsAFunctionOfTheHistory) {
  const Plane p = plane(0.01, 300);
  const ParticleFilter<Plane> filter(p), another(p);
  const std::array<Vector<2>, 3> z{Vector<2>(0.5, 0.1), Vector<2>(0.4, 0.2), Vector<2>(0.6, 0.1)};
  auto used = filter.make_weights();
  for (int i = 0; i < 2; ++i) filter.update(used, {}, kStay, z[2]);
  filter.reset(used);
  auto fresh = another.make_weights();
  for (const Vector<2>& o : z) {
    filter.update(used, {}, kStay, o);
    another.update(fresh, {}, kStay, o);
  }
  EXPECT_EQ(used.x, fresh.x);
  EXPECT_EQ(used.w, fresh.w);
  EXPECT_EQ(used.moments.covariance, fresh.moments.covariance);
}

TEST(ParticleFilter, WhenEverythingVanishesItFallsBackToThePrior) {
  const Plane p = plane(0.01, 300);
  const ParticleFilter<Plane> filter(p);
  auto first = filter.make_weights();
  ASSERT_TRUE(filter.update(first, {}, kStay, {0.5, 0.1}));
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity(), 1e200}) {
    auto w = filter.make_weights();
    ASSERT_TRUE(filter.update(w, {}, kStay, {0.3, 0.2}));
    EXPECT_FALSE(filter.update(w, {}, kStay, {bad, 0.0})) << bad;
    EXPECT_EQ(w.moments.mean, p.start.mean);
    EXPECT_EQ(w.moments.covariance, p.start.covariance);
    ASSERT_TRUE(filter.update(w, {}, kStay, {0.5, 0.1}));  // and it goes on from there
    EXPECT_EQ(w.x, first.x);
  }
}

}  // namespace
}  // namespace bpo
