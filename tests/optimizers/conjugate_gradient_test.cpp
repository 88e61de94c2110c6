#include "bpo/optimizers/conjugate_gradient.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/networks.h"

namespace bpo {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct System {
  MatrixXd a;
  std::vector<double> b;
  int products = 0;

  System(int n, std::uint64_t seed) : b(test::to_double(test::random_floats(n, seed))) {
    const auto m = test::to_double(test::random_floats(static_cast<std::size_t>(n) * n, seed + 1));
    const auto x = Eigen::Map<const MatrixXd>(m.data(), n, n);
    a = x * x.transpose() + 0.5 * MatrixXd::Identity(n, n);
  }
  Product product() {
    return [this](std::span<const double> v, std::span<double> out) {
      ++products;
      const auto n = static_cast<Eigen::Index>(v.size());
      Eigen::Map<VectorXd>(out.data(), n) = a * Eigen::Map<const VectorXd>(v.data(), n);
    };
  }
};

RC_GTEST_PROP(ConjugateGradient, SolvesPositiveDefiniteSystems, ()) {
  const int n = *rc::gen::inRange(1, 20);
  System s(n, *rc::gen::inRange<std::uint64_t>(0, 100000));
  const auto [x, quadratic] = conjugate_gradient(s.product(), s.b, 3 * n, 1e-20);
  const VectorXd exact = s.a.ldlt().solve(Eigen::Map<const VectorXd>(s.b.data(), n));
  const double gap = (Eigen::Map<const VectorXd>(x.data(), n) - exact).norm();
  RC_ASSERT(gap < 1e-6 * (1.0 + exact.norm()));
  RC_ASSERT(std::abs(quadratic - exact.dot(s.a * exact)) < 1e-6 * (1.0 + quadratic));
}

TEST(ConjugateGradient, StopsAfterTheGivenIterationsOrAtTheTolerance) {
  System s(12, 5);
  conjugate_gradient(s.product(), s.b, 4, 0.0);
  EXPECT_EQ(s.products, 4);
  s.products = 0;
  conjugate_gradient(s.product(), s.b, 1000, 1e-6);
  EXPECT_LE(s.products, 20);
  s.products = 0;
  const std::vector<double> zero(12, 0.0);
  EXPECT_EQ(conjugate_gradient(s.product(), zero, 10, 1e-10).x, zero);
  EXPECT_EQ(s.products, 0);
}

TEST(ConjugateGradient, EveryIterationLowersTheEnergy) {
  System s(15, 6);
  const auto energy = [&](const std::vector<double>& x) {
    const Eigen::Map<const VectorXd> v(x.data(), 15), b(s.b.data(), 15);
    return 0.5 * v.dot(s.a * v) - b.dot(v);
  };
  double previous = 0.0;
  for (int k = 1; k <= 15; ++k) {
    const auto [x, quadratic] = conjugate_gradient(s.product(), s.b, k, 0.0);
    const Eigen::Map<const VectorXd> v(x.data(), 15);
    EXPECT_NEAR(quadratic, v.dot(s.a * v), 1e-9 * quadratic);  // stopped early, too
    const double now = energy(x);
    EXPECT_LT(now, previous + 1e-12);
    previous = now;
  }
}

TEST(ConjugateGradient, BreaksOffOnNegativeCurvatureAndNan) {
  const std::vector<double> b = {1.0, 2.0};
  const Product negative = [](std::span<const double> v, std::span<double> out) {
    for (std::size_t i = 0; i < v.size(); ++i) out[i] = -v[i];
  };
  EXPECT_EQ(conjugate_gradient(negative, b, 10, 0.0).x, (std::vector<double>{0.0, 0.0}));
  const Product nan = [](std::span<const double>, std::span<double> out) {
    for (double& x : out) x = std::numeric_limits<double>::quiet_NaN();
  };
  EXPECT_EQ(conjugate_gradient(nan, b, 10, 0.0).x, (std::vector<double>{0.0, 0.0}));
}

TEST(Dot, IsTheSumOfProducts) {
  for (int n = 0; n < 20; ++n) {
    const auto a = test::to_double(test::random_floats(n, 1)),
               b = test::to_double(test::random_floats(n, 2));
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    EXPECT_NEAR(dot(a, b), sum, 1e-12);
  }
}

}  // namespace
}  // namespace bpo
