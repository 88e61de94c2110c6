// Numbers that come in one by one, with one covariance for all models, are the textbook's filter.
#include "bpo/filters/shared_kalman.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "bpo/core/rng.h"

namespace bpo {
namespace {

constexpr int kSize = 4, kSeen = 3;
using Square = Eigen::Matrix<double, kSize, kSize, Eigen::RowMajor>;
using Rows = Eigen::Matrix<double, kSeen, kSize, Eigen::RowMajor>;

TEST(SharedKalman, IsTheKalmanFilter) {
  Rng rng(3, Use::kState, 0);
  const auto random = [&](auto& m) {
    for (int i = 0; i < m.rows(); ++i) {
      for (int k = 0; k < m.cols(); ++k) m(i, k) = rng.normal();
    }
  };
  Square f, root;
  Rows h;
  Eigen::Matrix<double, kSeen, 1> z;
  Eigen::Matrix<double, kSize, 1> x;
  random(f);
  random(root);
  random(h);
  random(z);
  random(x);
  const Square p0 = root * root.transpose();
  const Eigen::Vector4d q(0.1, 0.2, 0.0, 0.3);
  const Eigen::Vector3d r(0.5, 0.01, 2.0);

  const Square p1 = f * p0 * f.transpose() + Square(q.asDiagonal());
  const Eigen::Matrix3d s = h * p1 * h.transpose() + Eigen::Matrix3d(r.asDiagonal());
  const Eigen::Matrix<double, kSize, kSeen> k = p1 * h.transpose() * s.inverse();
  const Eigen::Vector3d e = z - h * x;
  const Square p2 = p1 - k * h * p1;
  const Eigen::Vector4d corrected = k * e;
  const double log_density = -0.5 * (e.dot(s.inverse() * e) + std::log(s.determinant()));

  SharedKalman kalman(kSize);
  std::copy_n(f.data(), kSize * kSize, kalman.jacobian.begin());
  std::vector<double> p(p0.data(), p0.data() + kSize * kSize), way(kSize, 0.0);
  kalman.predict(p, {q.data(), kSize});
  for (int i = 0; i < kSize * kSize; ++i) EXPECT_NEAR(p[i], p1.data()[i], 1e-10);
  double found = 0.0;
  for (int i = 0; i < kSeen; ++i) {
    const std::span<const double> row(h.data() + i * kSize, kSize);
    const double spread = kalman.measure(p, row, r[i]);
    const double innovation = e[i] - SharedKalman::dot(row, way);
    found -= 0.5 * (innovation * innovation / spread + std::log(spread));
    for (int c = 0; c < kSize; ++c) way[c] += kalman.gain()[c] * innovation;
  }
  for (int i = 0; i < kSize * kSize; ++i) EXPECT_NEAR(p[i], p2.data()[i], 1e-10);
  for (int c = 0; c < kSize; ++c) EXPECT_NEAR(way[c], corrected[c], 1e-10);
  EXPECT_NEAR(found, log_density, 1e-9);
}

}  // namespace
}  // namespace bpo
