// The extended Kalman filter: its algebra against other forms of it, its belief against exact
// posteriors, and its consistency by the normalised estimation error squared (NEES).
#include "bpo/filters/ekf.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/gaussian_problems.h"

namespace bpo {
namespace {

using test::Linear;
using test::linear_problem;
using test::nees;
using test::Truth;
using test::Walker;

constexpr double kZ = 4.9;  // a false alarm in a million
using Action = std::array<float, 2>;

Action action(int t) { return {0.3f + 0.1f * std::sin(0.7f * t), 0.2f * std::cos(0.4f * t)}; }

template <class F, int N, int M>
void expect_jacobian(const Matrix<M, N>& jacobian, const Vector<N>& x, F f) {
  constexpr double h = 1e-6;
  for (int j = 0; j < N; ++j) {
    Vector<N> d = Vector<N>::Zero();
    d[j] = h;
    const Vector<M> slope = (f(x + d) - f(x - d)) / (2.0 * h);
    EXPECT_LT((slope - jacobian.col(j)).norm(), 1e-8) << "column " << j;
  }
}

TEST(Walker, JacobiansAreDerivatives) {
  const Walker p;
  Rng rng(1, Use::kInit, 0);
  for (int i = 0; i < 100; ++i) {
    const Vector<3> x(1.0 + 5.0 * rng.uniform(), 6.0 * rng.uniform() - 3.0, 6.0 * rng.uniform());
    const Action a{static_cast<float>(rng.uniform()), static_cast<float>(rng.uniform())};
    expect_jacobian<>(p.move_jacobian(x, a), x, [&](const Vector<3>& y) { return p.move(y, a); });
    expect_jacobian<>(p.measure_jacobian(x), x, [&](const Vector<3>& y) { return p.measure(y); });
  }
}

/// A covariance with eigenvalues between 1e-3 and 10.
Matrix<3> any_covariance(Rng& rng) {
  Matrix<3> m;
  for (int i = 0; i < 9; ++i) m(i / 3, i % 3) = rng.normal();
  const Matrix<3> q = Eigen::HouseholderQR<Matrix<3>>(m).householderQ();
  Vector<3> e;
  for (double& x : e) x = std::pow(10.0, 4.0 * rng.uniform() - 3.0);
  return q * e.asDiagonal() * q.transpose();
}

TEST(Ekf, JosephsFormIsTheTextbooksAndTheInformationForm) {
  const Walker p;
  const EkfFilter<Walker> filter(p);
  Rng rng(2, Use::kInit, 0);
  for (int i = 0; i < 200; ++i) {
    const Gaussian<3> g{Vector<3>(4.0 + rng.normal(), 3.0 + rng.normal(), rng.normal()),
                        any_covariance(rng)};
    const Matrix<2> r = p.noise(g, {});
    const auto k = filter.gain(g, r);
    const Matrix<3> joseph = filter.corrected(g, k, r);
    const Matrix<2, 3> h = p.measure_jacobian(g.mean);
    const Matrix<3> plain = (Matrix<3>::Identity() - k * h) * g.covariance;
    const Matrix<3> information =
        (g.covariance.inverse() + h.transpose() * r.inverse() * h).inverse();
    EXPECT_LT((joseph - plain).norm(), 1e-9 * g.covariance.norm());
    EXPECT_LT((joseph - information).norm(), 1e-9 * g.covariance.norm());
    EXPECT_EQ(joseph, joseph.transpose());
  }
}

TEST(Ekf, StaysSymmetricAndPositiveOverThousandsOfSharpUpdates) {
  Walker p;
  p.range_sd = 1e-7;  // so sharp that (I - KH) P is all rounding
  p.bearing_sd = 1e-7;
  const EkfFilter<Walker> filter(p);
  Rng rng(3, Use::kWorld, 0);
  Truth<Walker> truth(p, rng);
  auto w = filter.make_weights();
  const Vector<2> still(0.0, 0.0);
  Matrix<3> plain = w.covariance;
  bool plain_fails = false;
  for (int t = 0; t < 5000; ++t) {
    const Action a{0.02f, 0.005f};  // in circles around the beacon's far side
    const Vector<2> z = truth.step(a);
    const Gaussian<3> moved = filter.moved({w.mean, plain}, a);
    const auto k = filter.gain(moved, p.noise(moved, z));
    plain = (Matrix<3>::Identity() - k * p.measure_jacobian(moved.mean)) * moved.covariance;
    plain_fails |= plain != plain.transpose();
    ASSERT_TRUE(filter.update(w, still, a, z)) << t;
    ASSERT_EQ(w.covariance, w.covariance.transpose());
    const Vector<3> eigen = Eigen::SelfAdjointEigenSolver<Matrix<3>>(w.covariance).eigenvalues();
    ASSERT_GT(eigen[0], 0.0) << t;
    ASSERT_LT(eigen[2], 1.0) << t;
  }
  EXPECT_TRUE(plain_fails) << "then this test asks for too little";
  EXPECT_LT((w.mean - truth.x()).head<2>().norm(), 1e-4);
}

/// The posterior of the last of x_0..x_T, from the least squares over all of them at once.
Gaussian<3> batch_posterior(const Linear<3, 2>& p, const std::vector<Vector<2>>& z,
                            const std::vector<Action>& actions) {
  const int steps = static_cast<int>(z.size()), size = 3 * (steps + 1);
  Eigen::MatrixXd information = Eigen::MatrixXd::Zero(size, size);
  Eigen::VectorXd vector = Eigen::VectorXd::Zero(size);
  // Adds |G X - v|^2 in the metric of S^-1, where G has the given blocks of columns.
  const auto add = [&](const Eigen::MatrixXd& g, int at, const Eigen::VectorXd& v,
                       const Eigen::MatrixXd& s) {
    const Eigen::MatrixXd gs = g.transpose() * s.inverse();
    information.block(at, at, g.cols(), g.cols()) += gs * g;
    vector.segment(at, g.cols()) += gs * v;
  };
  add(Matrix<3>::Identity(), 0, p.start.mean, p.start.covariance);
  for (int t = 0; t < steps; ++t) {
    Matrix<3, 6> g;
    g << -p.a, Matrix<3>::Identity();
    add(g, 3 * t, Vector<3>(actions[t][0], actions[t][1], 0.0), p.q);
    add(p.h, 3 * (t + 1), z[t], p.r);
  }
  const Eigen::MatrixXd covariance = information.inverse();
  return {(covariance * vector).tail<3>(), covariance.bottomRightCorner<3, 3>()};
}

TEST(Ekf, OfALinearProblemIsTheExactPosterior) {
  const auto p = linear_problem();
  const EkfFilter<Linear<3, 2>> filter(p);
  for (std::uint64_t episode = 0; episode < 20; ++episode) {
    Rng rng(4, Use::kWorld, episode);
    Truth<Linear<3, 2>> truth(p, rng);
    auto w = filter.make_weights();
    std::vector<Vector<2>> z;
    std::vector<Action> actions;
    for (int t = 0; t < 25; ++t) {
      actions.push_back(action(t));
      z.push_back(truth.step(actions.back()));
      ASSERT_TRUE(filter.update(w, {}, actions.back(), z.back()));
    }
    const Gaussian<3> exact = batch_posterior(p, z, actions);
    EXPECT_LT((w.mean - exact.mean).norm(), 1e-10);
    EXPECT_LT((w.covariance - exact.covariance).norm(), 1e-11);
  }
}

TEST(Ekf, WhenAMeasurementIsNotFiniteItFallsBackToThePrior) {
  const auto p = linear_problem();
  const EkfFilter<Linear<3, 2>> filter(p);
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    auto w = filter.make_weights();
    ASSERT_TRUE(filter.update(w, {}, action(0), {1.0, 2.0}));
    const Gaussian<3> before = w;
    EXPECT_FALSE(filter.update(w, {}, action(1), {bad, 0.0}));
    EXPECT_EQ(w.mean, p.start.mean);
    EXPECT_EQ(w.covariance, p.start.covariance);
    EXPECT_TRUE(filter.update(w, {}, action(0), {1.0, 2.0}));  // and it goes on from there
    EXPECT_EQ(w.mean, before.mean);
  }
}

template <class P>
double mean_nees(const P& p, std::uint64_t seed, int episodes, int steps) {
  const EkfFilter<P> filter(p);
  double sum = 0.0;
  for (int episode = 0; episode < episodes; ++episode) {
    Rng rng(seed, Use::kWorld, episode);
    Truth<P> truth(p, rng);
    auto w = filter.make_weights();
    for (int t = 0; t < steps; ++t) {
      const Action a = action(t);
      EXPECT_TRUE(filter.update(w, {}, a, truth.step(a)));
    }
    sum += nees(w, truth.x());
  }
  return sum / episodes;
}

// One look per episode: the sum is chi-square with 3 n degrees of freedom, and its mean lies within
// 3 +- kZ sqrt(6 / n) but for a false alarm in a million.
TEST(Ekf, ErrorsOfALinearProblemAreAsLargeAsItSays) {
  constexpr int kEpisodes = 20'000;
  const double bound = kZ * std::sqrt(6.0 / kEpisodes);
  EXPECT_NEAR(mean_nees(linear_problem(), 5, kEpisodes, 1), 3.0, bound);
  EXPECT_NEAR(mean_nees(linear_problem(), 6, kEpisodes, 20), 3.0, bound);
}

TEST(Ekf, ErrorsOfTheWalkerAreNearlyAsLargeAsItSays) {
  // Linearised where it hardly bends; the bound is that of sampling and 2 % for the bend.
  constexpr int kEpisodes = 20'000;
  EXPECT_NEAR(mean_nees(Walker{}, 7, kEpisodes, 15), 3.0, kZ * std::sqrt(6.0 / kEpisodes) + 0.06);
}

}  // namespace
}  // namespace bpo
