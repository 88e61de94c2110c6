// Two problems for the Gaussian filters, as far as these need them: a linear one, whose posterior
// is known exactly, and a walker that is seen by range and bearing from a beacon at the origin.
#pragma once

#include <cmath>
#include <span>

#include "bpo/core/rng.h"
#include "bpo/filters/gaussian.h"

namespace bpo::test {

/// x' = A x + (a, 0, ...) + N(0, Q),  z = H x + N(0, R).
template <int N, int M>
struct Linear {
  static constexpr int kHidden = N, kMeasured = M;
  static constexpr bool kIsotropic = false;
  using Observation = Vector<M>;
  using Action = std::span<const float>;

  Gaussian<N> start{Vector<N>::Zero(), Matrix<N>::Identity()};
  Matrix<N> a = Matrix<N>::Identity(), q = Matrix<N>::Zero();
  Matrix<M, N> h = Matrix<M, N>::Identity();
  Matrix<M> r = Matrix<M>::Identity();
  int count = 256;

  Gaussian<N> prior() const { return start; }
  Vector<N> move(const Vector<N>& x, Action u) const {
    Vector<N> next = a * x;
    for (std::size_t i = 0; i < u.size(); ++i) next[static_cast<int>(i)] += u[i];
    return next;
  }
  Matrix<N> move_jacobian(const Vector<N>&, Action) const { return a; }
  Matrix<N> move_noise(const Vector<N>&, Action) const { return q; }
  Vector<M> measure(const Vector<N>& x) const { return h * x; }
  Matrix<M, N> measure_jacobian(const Vector<N>&) const { return h; }
  Vector<M> measured(const Observation& o) const { return o; }
  Matrix<M> noise(const Gaussian<N>&, const Observation&) const { return r; }
  Matrix<M> expected_noise(const Gaussian<N>&) const { return r; }
  int particles() const { return count; }
};

/// A constant-velocity target with a drifting bias: nothing is diagonal, nothing is seen directly.
inline Linear<3, 2> linear_problem() {
  Linear<3, 2> p;
  p.start.mean << 1.0, -0.5, 0.2;
  p.start.covariance << 2.0, 0.3, 0.1, 0.3, 0.5, -0.2, 0.1, -0.2, 1.0;
  p.a << 1.0, 0.4, 0.0, 0.0, 0.9, 0.1, 0.0, 0.0, 1.0;
  p.q << 0.02, 0.01, 0.0, 0.01, 0.05, 0.0, 0.0, 0.0, 0.01;
  p.h << 1.0, 0.0, 1.0, 0.2, 1.0, 0.0;
  p.r << 0.3, 0.1, 0.1, 0.2;
  return p;
}

/// x = (place, heading); a = (stride, turn).
struct Walker {
  static constexpr int kHidden = 3, kMeasured = 2;
  static constexpr bool kIsotropic = false;
  using Observation = Vector<2>;
  using Action = std::span<const float>;

  double range_sd = 0.05, bearing_sd = 0.01;

  Gaussian<3> prior() const {
    return {Vector<3>(6.0, 4.0, 0.5), Vector<3>(0.04, 0.04, 0.01).asDiagonal()};
  }
  Vector<3> move(const Vector<3>& x, Action a) const {
    return x + Vector<3>(a[0] * std::cos(x[2]), a[0] * std::sin(x[2]), a[1]);
  }
  Matrix<3> move_jacobian(const Vector<3>& x, Action a) const {
    Matrix<3> f = Matrix<3>::Identity();
    f(0, 2) = -a[0] * std::sin(x[2]);
    f(1, 2) = a[0] * std::cos(x[2]);
    return f;
  }
  Matrix<3> move_noise(const Vector<3>&, Action) const {
    return Vector<3>(1e-4, 1e-4, 1e-4).asDiagonal();
  }
  Vector<2> measure(const Vector<3>& x) const {
    return {std::hypot(x[0], x[1]), std::atan2(x[1], x[0])};
  }
  Matrix<2, 3> measure_jacobian(const Vector<3>& x) const {
    const double d2 = x[0] * x[0] + x[1] * x[1], d = std::sqrt(d2);
    Matrix<2, 3> h;
    h << x[0] / d, x[1] / d, 0.0, -x[1] / d2, x[0] / d2, 0.0;
    return h;
  }
  Vector<2> measured(const Observation& o) const { return o; }
  Matrix<2> noise(const Gaussian<3>&, const Observation&) const {
    return Vector<2>(range_sd * range_sd, bearing_sd * bearing_sd).asDiagonal();
  }
  Matrix<2> expected_noise(const Gaussian<3>& belief) const { return noise(belief, {}); }
};

/// A sample of N(0, covariance), which may be singular.
template <int N>
Vector<N> sample(const Matrix<N>& covariance, Rng& rng) {
  Vector<N> n;
  for (int i = 0; i < N; ++i) n[i] = rng.normal();
  const Eigen::SelfAdjointEigenSolver<Matrix<N>> eigen(covariance);
  return eigen.eigenvectors() * (eigen.eigenvalues().cwiseMax(0.0).cwiseSqrt().asDiagonal() * n);
}

/// A true x of the model and what is measured of it.
template <class P>
class Truth {
 public:
  Truth(const P& p, Rng& rng)
      : p_(p), rng_(rng), x_(p.prior().mean + sample<P::kHidden>(p.prior().covariance, rng)) {}

  typename P::Observation step(typename P::Action a) {
    const Matrix<P::kHidden> q = p_.move_noise(x_, a);
    x_ = p_.move(x_, a) + sample<P::kHidden>(q, rng_);
    return p_.measure(x_) + sample<P::kMeasured>(p_.noise({x_, {}}, {}), rng_);
  }
  const Vector<P::kHidden>& x() const { return x_; }

 private:
  const P& p_;
  Rng& rng_;
  Vector<P::kHidden> x_;
};

/// The normalised estimation error squared, e' P^-1 e: chi-square with N degrees of freedom where
/// the belief is exact.
template <int N>
double nees(const Gaussian<N>& belief, const Vector<N>& x) {
  const Vector<N> e = x - belief.mean;
  return e.dot(belief.covariance.inverse() * e);
}

}  // namespace bpo::test
