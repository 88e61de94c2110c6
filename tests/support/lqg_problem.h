// A linear problem with Gaussian noise and quadratic costs: a point on a line is pushed, and its
// position measured. The extended Kalman filter is exact on it, and the Bayes-optimal action is
// Riccati's gain times the mean (certainty equivalence).
#pragma once

#include <cmath>
#include <vector>

#include "bpo/core/any_problem.h"
#include "bpo/filters/ekf.h"

namespace bpo::test {

struct LqgOptions {
  int horizon = 8;
  double limit = 10.0;
};

class LqgProblem {
 public:
  static constexpr int kHidden = 2, kMeasured = 1;
  static constexpr bool kIsotropic = false;
  using Latent = Vector<2>;  // position, velocity
  using State = int;
  using Observation = Vector<1>;
  using Action = std::span<const float>;

  explicit LqgProblem(const LqgOptions& options) : options_(options) {}

  ProblemSpec spec() const {
    return {.name = "lqg",
            .horizon = options_.horizon,
            .actions = {.dim = 1, .low = -options_.limit, .high = options_.limit},
            .obs_dim = 1,
            .latent_dim = 2};
  }
  Latent sample_latent(Rng& rng) const { return prior().mean + noisy(prior().covariance, rng); }
  State sample_state(const Latent&, Rng&) const { return 0; }
  StepResult step(State&, Latent& x, Action a, Rng& rng) const {
    x = move(x, a) + noisy(move_noise(x, a), rng);
    return {-x.dot(cost() * x) - kEffort * a[0] * a[0], false};
  }
  Observation observe(const State&, const Latent& x, Rng& rng) const {
    return Observation(x[0] + std::sqrt(kMeasurement) * rng.normal());
  }
  void encode(const Observation& o, std::span<float> out) const {
    out[0] = static_cast<float>(o[0]);
  }
  void encode_latent(const Latent& x, std::span<float> out) const {
    for (int i = 0; i < 2; ++i) out[i] = static_cast<float>(x[i]);
  }

  Gaussian<2> prior() const { return {Vector<2>(3.0, -1.0), Vector<2>(0.5, 0.2).asDiagonal()}; }
  Vector<2> move(const Vector<2>& x, Action a) const { return drift() * x + push() * double{a[0]}; }
  Matrix<2> move_jacobian(const Vector<2>&, Action) const { return drift(); }
  Matrix<2> move_noise(const Vector<2>&, Action) const {
    return Vector<2>(0.02, 0.05).asDiagonal();
  }
  Vector<1> measure(const Vector<2>& x) const { return x.head<1>(); }
  Matrix<1, 2> measure_jacobian(const Vector<2>&) const { return {1.0, 0.0}; }
  Vector<1> measured(const Observation& o) const { return o; }
  Matrix<1> noise(const Gaussian<2>&, const Observation&) const { return Matrix<1>(kMeasurement); }
  Matrix<1> expected_noise(const Gaussian<2>&) const { return Matrix<1>(kMeasurement); }
  double expected_reward(const Gaussian<2>& next, Action a, std::span<const float>, bool) const {
    return -next.mean.dot(cost() * next.mean) - (cost() * next.covariance).trace() -
           kEffort * a[0] * a[0];
  }

  /// K_t of the optimal action -K_t m, by Riccati's recursion.
  std::vector<Matrix<1, 2>> optimal_gains() const {
    std::vector<Matrix<1, 2>> out(options_.horizon);
    Matrix<2> v = Matrix<2>::Zero();
    for (int t = options_.horizon - 1; t >= 0; --t) {
      const Matrix<2> s = cost() + v;
      const double weight = kEffort + push().dot(s * push());
      out[t] = push().transpose() * s * drift() / weight;
      v = drift().transpose() * s * (drift() - push() * out[t]);
    }
    return out;
  }

 private:
  static constexpr double kMeasurement = 0.3, kEffort = 0.4;
  static Matrix<2> drift() { return Matrix<2>{{1.0, 0.3}, {0.0, 0.9}}; }
  static Vector<2> push() { return {0.05, 0.5}; }
  static Matrix<2> cost() { return Matrix<2>{{1.0, 0.1}, {0.1, 0.2}}; }
  /// A sample of N(0, covariance), whose covariance is diagonal.
  static Vector<2> noisy(const Matrix<2>& covariance, Rng& rng) {
    return {std::sqrt(covariance(0, 0)) * rng.normal(), std::sqrt(covariance(1, 1)) * rng.normal()};
  }

  LqgOptions options_;
};

using LqgWithKalman = ProblemWith<LqgProblem, EkfFilter<LqgProblem>>;

}  // namespace bpo::test
