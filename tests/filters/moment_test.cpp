// The moment filter against posteriors that are integrated over the whole plane.
#include "bpo/filters/moment.h"

#include <gtest/gtest.h>

#include <vector>

#include "bpo/core/rng.h"

namespace bpo {
namespace {

/// A room from -1 to 7 and from -2 to 4 with its light at 5, as LightDark's.
struct Lit {
  static constexpr int kHidden = 2, kMeasured = 2;
  static constexpr bool kIsotropic = true;
  using Observation = Vector<2>;
  using Action = std::span<const float>;
  bool known = false;

  Gaussian<2> prior() const { return {Vector<2>(2.0, 2.0), 2.25 * Matrix<2>::Identity()}; }
  Vector<2> move(const Vector<2>& x, Action a) const { return x + Vector<2>(a[0], a[1]); }
  Matrix<2> move_jacobian(const Vector<2>&, Action) const { return Matrix<2>::Identity(); }
  Matrix<2> move_noise(const Vector<2>&, Action) const { return Matrix<2>::Zero(); }
  Vector<2> measure(const Vector<2>& x) const { return x; }
  Matrix<2> measure_jacobian(const Vector<2>&) const { return Matrix<2>::Identity(); }
  Vector<2> measured(const Observation& o) const { return o; }
  Matrix<2> noise(const Gaussian<2>&, const Observation&) const {
    return 0.3 * Matrix<2>::Identity();
  }
  Matrix<2> expected_noise(const Gaussian<2>& g) const {
    return noise_at(g.mean[0]) * Matrix<2>::Identity();
  }
  double noise_at(double x) const {
    const double sd = std::abs(x - 5.0) / std::numbers::sqrt2 + 1e-6;
    return sd * sd;
  }
  double light() const { return 5.0; }
  bool noise_known() const { return known; }
  Vector<2> measured_low() const { return {-1.0, -2.0}; }
  Vector<2> measured_high() const { return {7.0, 4.0}; }
};

Gaussian<2> belief(double x, double y, double s) {
  return {Vector<2>(x, y), s * Matrix<2>::Identity()};
}

struct Point {
  double at, width;
};
/// Points around a centre at distances of every size, and the lengths that they stand for.
std::vector<Point> around(double centre, double nearest, double farthest, int count) {
  std::vector<Point> out;
  const double step = std::log(farthest / nearest) / count;
  for (int i = 0; i < count; ++i) {
    const double d = nearest * std::exp((i + 0.5) * step);
    out.push_back({centre + d, d * step});
    out.push_back({centre - d, d * step});
  }
  return out;
}

/// How likely a measured coordinate is where one stands at x: a density, or at a limit a
/// probability.
double likelihood(double z, double x, double sd, double low, double high) {
  if (z >= high) return 0.5 * std::erfc((high - x) / sd / std::numbers::sqrt2);
  if (z <= low) return 0.5 * std::erfc((x - low) / sd / std::numbers::sqrt2);
  return std::exp(-0.5 * (z - x) * (z - x) / (sd * sd)) / sd;
}

Gaussian<2> integrated(const Gaussian<2>& g, const Vector<2>& z) {
  const double s = g.covariance(0, 0), far = 20.0 * std::sqrt(s) + 10.0;
  double one = 0.0, squares = 0.0;
  Vector<2> sum = Vector<2>::Zero();
  const auto ys = around(z[1], 1e-7, far, 600);
  for (const Point& x : around(5.0, 1e-7, far, 1500)) {
    const double sd = std::sqrt(Lit().noise_at(x.at));
    const double gap = x.at - g.mean[0];
    const double wx = x.width * std::exp(-0.5 * gap * gap / s) * likelihood(z[0], x.at, sd, -1, 7);
    if (wx == 0.0) continue;
    for (const Point& y : ys) {
      const double gap_y = y.at - g.mean[1];
      const double w =
          wx * y.width * std::exp(-0.5 * gap_y * gap_y / s) * likelihood(z[1], y.at, sd, -2, 4);
      const Vector<2> shift(gap, gap_y);
      one += w;
      sum += w * shift;
      squares += w * shift.squaredNorm();
    }
  }
  sum /= one;
  return {g.mean + sum, 0.5 * (squares / one - sum.squaredNorm()) * Matrix<2>::Identity()};
}

TEST(Moment, HasTheMomentsOfTheIntegratedPosterior) {
  const Lit p;
  const MomentFilter<Lit> filter(p);
  const struct {
    Gaussian<2> prior;
    Vector<2> z;
    const char* what;
  } cases[] = {{belief(2, 2, 2.25), {3.1, 0.4}, "in the dark"},
               {belief(4.2, 1, 0.5), {5.3, 1.6}, "the light within reach"},
               {belief(4.9, 1, 0.05), {4.95, 1.01}, "in the light"},
               {belief(4.9, 1, 0.05), {5.001, 1.02}, "measured almost at the light"},
               {belief(5.0, 1, 0.002), {4.7, 0.7}, "off, for all its light"},
               {belief(2.0, 1, 0.01), {2.6, 1.4}, "a sure belief in the dark"},
               {belief(6.5, 3.5, 0.3), {7.0, 4.0}, "cut off in a corner"},
               {belief(0.0, -1.5, 1.0), {-1.0, -2.0}, "cut off in another"},
               {belief(3.0, 3.0, 0.8), {2.2, 4.0}, "cut off above"},
               {belief(4.0, 1.0, 0.8), {7.0, 1.3}, "cut off beyond the light"}};
  for (const auto& c : cases) {
    const Gaussian<2> found = filter.posterior(c.prior, c.z), exact = integrated(c.prior, c.z);
    const double s = exact.covariance(0, 0);
    EXPECT_LT((found.mean - exact.mean).norm(), 2e-4 * std::sqrt(s)) << c.what;
    EXPECT_NEAR(found.covariance(0, 0), s, 5e-4 * s) << c.what;
    EXPECT_EQ(found.covariance, found.covariance(0, 0) * Matrix<2>::Identity());
  }
}

TEST(Moment, OfAKnownNoiseIsKalmans) {
  const Lit p{.known = true};
  const MomentFilter<Lit> filter(p);
  const EkfFilter<Lit> ekf(p);
  auto w = filter.make_weights(), same = ekf.make_weights();
  const std::array<float, 2> a{0.4f, -0.1f};
  for (int t = 0; t < 10; ++t) {
    const Vector<2> z(2.0 + 0.4 * t, 1.5);
    ASSERT_TRUE(filter.update(w, z, a, z) && ekf.update(same, z, a, z));
    EXPECT_EQ(w.mean, same.mean);
    EXPECT_EQ(w.covariance, same.covariance);
  }
}

// Beliefs and measurements of every kind: sure and wrong, exactly in the light, cut off where that
// was all but impossible.
TEST(Moment, IsAlwaysAGaussian) {
  const Lit p;
  const MomentFilter<Lit> filter(p);
  for (double x : {-1.0, 2.0, 4.999, 5.0, 5.0 + 1e-9, 7.0}) {
    for (double s : {1e-18, 1e-12, 1e-6, 1e-3, 1.0, 100.0}) {
      for (double zx : {-1.0, 0.0, 4.999999, 5.0, 6.999, 7.0}) {
        for (double zy : {-2.0, 1.0, 3.9, 4.0}) {
          const Gaussian<2> g = filter.posterior(belief(x, 1.0, s), {zx, zy});
          ASSERT_TRUE(g.mean.allFinite()) << x << ' ' << s << ' ' << zx << ' ' << zy;
          ASSERT_GT(g.covariance(0, 0), 0.0) << x << ' ' << s << ' ' << zx << ' ' << zy;
          ASSERT_LT(g.covariance(0, 0), 200.0) << x << ' ' << s << ' ' << zx << ' ' << zy;
        }
      }
    }
  }
}

// Where the truth is drawn from the belief, an exact update errs by s on each axis on average.
TEST(Moment, ErrsAsMuchAsItSays) {
  const Lit p;
  const MomentFilter<Lit> filter(p);
  constexpr int kDraws = 10000;
  for (const Gaussian<2>& g : {belief(3, 1, 1.0), belief(4.8, 1, 0.3), belief(5, 3.5, 0.01)}) {
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < kDraws; ++i) {
      Rng rng(5, Use::kWorld, static_cast<std::uint64_t>(i));
      const double sd = std::sqrt(g.covariance(0, 0));
      const double a = rng.normal(), b = rng.normal(), c = rng.normal(), d = rng.normal();
      const Vector<2> x = g.mean + sd * Vector<2>(a, b);
      const Vector<2> z = x + std::sqrt(p.noise_at(x[0])) * Vector<2>(c, d);
      const Gaussian<2> after =
          filter.posterior(g, z.cwiseMax(p.measured_low()).cwiseMin(p.measured_high()));
      const double gap = 0.5 * (x - after.mean).squaredNorm() - after.covariance(0, 0);
      sum += gap;
      squares += gap * gap;
    }
    EXPECT_NEAR(sum / kDraws, 0.0, 4.9 * std::sqrt(squares) / kDraws);  // once in a million
  }
}

}  // namespace
}  // namespace bpo
