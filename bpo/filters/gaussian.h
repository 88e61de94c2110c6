// What a Gaussian filter asks of a problem: a hidden vector x that moves and is measured,
//   x' = f(x, a) + N(0, Q(x, a)),   z = h(x) + N(0, R),
// with the Jacobians of f and h. R may depend on x, and then on the belief about it.
#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <concepts>
#include <numbers>
#include <span>

#include "bpo/core/closed_form.h"

namespace bpo {

template <int N>
using Vector = Eigen::Matrix<double, N, 1>;
template <int R, int C = R>
using Matrix = Eigen::Matrix<double, R, C>;

template <int N>
struct Gaussian {
  Vector<N> mean = Vector<N>::Zero();
  Matrix<N> covariance = Matrix<N>::Zero();
};

/// P::kHidden and P::kMeasured are the dimensions of x and z. P::kIsotropic says that the
/// covariance stays a multiple of the identity, so that one number tells it. `noise(belief, o)` is
/// R where x is believed to be, `expected_noise(belief)` what R will be as far as the belief can
/// tell.
template <class P>
concept HasGaussianModel = requires(const P& p, const Vector<P::kHidden>& x,
                                    const Gaussian<P::kHidden>& belief, const typename P::Action& a,
                                    const typename P::Observation& o) {
  { P::kIsotropic } -> std::convertible_to<bool>;
  { p.prior() } -> std::same_as<Gaussian<P::kHidden>>;
  { p.move(x, a) } -> std::same_as<Vector<P::kHidden>>;
  { p.move_jacobian(x, a) } -> std::same_as<Matrix<P::kHidden>>;
  { p.move_noise(x, a) } -> std::same_as<Matrix<P::kHidden>>;
  { p.measure(x) } -> std::same_as<Vector<P::kMeasured>>;
  { p.measure_jacobian(x) } -> std::same_as<Matrix<P::kMeasured, P::kHidden>>;
  { p.measured(o) } -> std::same_as<Vector<P::kMeasured>>;
  { p.noise(belief, o) } -> std::same_as<Matrix<P::kMeasured>>;
  { p.expected_noise(belief) } -> std::same_as<Matrix<P::kMeasured>>;
};

/// What planners in belief space need: the expected reward of a step that took action a and led to
/// `next`, where the episode observed (encoded) `obs`; `last` says that the episode's time is then
/// over.
template <class P>
concept HasExpectedReward = HasGaussianModel<P> &&
    requires(const P& p, const Gaussian<P::kHidden>& next, const typename P::Action& a,
             std::span<const float> obs, bool last) {
  { p.expected_reward(next, a, obs, last) } -> std::same_as<double>;
};

/// A model that a handful of numbers tell.
template <class P>
concept HasLightForm = requires(const P& p) {
  { p.light_form() } -> std::same_as<LightForm>;
};

/// How a Gaussian is written as numbers: the mean, then the upper triangle of the covariance row by
/// row, or its one variance.
template <int N, bool kIsotropic>
struct GaussianSummary {
  static constexpr int kSize = N + (kIsotropic ? 1 : N * (N + 1) / 2);
  static constexpr int kVarianceAt = kIsotropic ? N : -1;

  template <class Number>
  static void write(const Gaussian<N>& g, std::span<Number> out) {
    for (int i = 0; i < N; ++i) out[i] = static_cast<Number>(g.mean[i]);
    if constexpr (kIsotropic) {
      out[N] = static_cast<Number>(g.covariance.trace() / N);
    } else {
      int at = N;
      for (int i = 0; i < N; ++i) {
        for (int j = i; j < N; ++j) out[at++] = static_cast<Number>(g.covariance(i, j));
      }
    }
  }

  template <class Number>
  static Gaussian<N> read(std::span<const Number> in) {
    Gaussian<N> g;
    for (int i = 0; i < N; ++i) g.mean[i] = in[i];
    if constexpr (kIsotropic) {
      g.covariance = Matrix<N>::Identity() * double{in[N]};
    } else {
      int at = N;
      for (int i = 0; i < N; ++i) {
        for (int j = i; j < N; ++j) g.covariance(i, j) = g.covariance(j, i) = in[at++];
      }
    }
    return g;
  }
};

/// The entropy of a Gaussian, in nats.
template <int N>
double gaussian_entropy(const Gaussian<N>& g) {
  return 0.5 * (N * std::log(2.0 * std::numbers::pi * std::numbers::e) +
                std::log(g.covariance.determinant()));
}

}  // namespace bpo
