// The moment filter: a Gaussian N(m, s I) over a place (x, y) that is measured with noise w(x) I, a
// variance that x decides and that vanishes at one x, the light. The update is exact but for the
// Gaussian it ends in. With nodes x_i on N(m_x, s), the posterior is the mixture of
//   weight_i = N(x_i; m_x, s) N(z_x; x_i, w_i) N(z_y; m_y, s + w_i),   y | x_i conjugate,
// whose mean and mean variance are the next m and s. The linearised filters take z to say where one
// is; this one also hears that a measurement which is far off must have been made in the dark.
// The nodes are evenly spaced in tau(x) = (x - m_x) / sqrt(s) + asinh((x - light) / scale): near
// together where the prior varies and where the noise does, whose scale is the distance to the
// light. The integrand is smooth in tau, and the trapezoidal rule converges exponentially.
// A measured coordinate at one of its limits was cut off there: it says "at least" or "at most".
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <span>

#include "bpo/core/filter_registry.h"
#include "bpo/filters/ekf.h"

namespace bpo {

/// `noise_at(x)` is w. Where `noise_known()`, an observation tells it, and the posterior is
/// Gaussian.
template <class P>
concept HasLight = HasGaussianModel<P> && P::kHidden == 2 && P::kMeasured == 2 &&
                   P::kIsotropic&& requires(const P& p, double x) {
  { p.noise_at(x) } -> std::same_as<double>;
  { p.light() } -> std::same_as<double>;
  { p.noise_known() } -> std::same_as<bool>;
  { p.measured_low() } -> std::same_as<Vector<2>>;
  { p.measured_high() } -> std::same_as<Vector<2>>;
};

inline constexpr double kLogRootTwoPi = 0.9189385332046727;

/// log P(N(0, 1) < k), also where the probability is too small for a double.
inline double log_normal_below(double k) {
  constexpr double kFar = -30.0;
  if (k > kFar) return std::log(0.5 * std::erfc(-k / std::numbers::sqrt2));
  return -0.5 * k * k - std::log(-k) - kLogRootTwoPi;
}

template <HasLight P>
class MomentFilter {
 public:
  static constexpr const char* kName = "moment";
  using Weights = Gaussian<2>;
  using Summary = GaussianSummary<2, true>;

  explicit MomentFilter(const P& problem)
      : problem_(problem),
        known_(problem),
        low_(problem.measured_low()),
        high_(problem.measured_high()) {}

  int belief_dim() const { return Summary::kSize; }
  int estimate_dim() const { return 2; }
  double belief_scale() const { return 1.0; }
  Weights make_weights() const { return problem_.prior(); }
  void reset(Weights& w) const { w = problem_.prior(); }

  bool update(Weights& w, const typename P::Observation& o, const typename P::Action& a,
              const typename P::Observation& next) const {
    if (problem_.noise_known()) return known_.update(w, o, a, next);
    w = posterior(known_.moved(w, a), problem_.measured(next));
    if (w.mean.allFinite() && w.covariance(0, 0) > 0.0) return true;
    reset(w);
    return false;
  }

  void belief(const Weights& w, std::span<float> out) const { Summary::write(w, out); }
  void estimate(const Weights& w, std::span<float> out) const { known_.estimate(w, out); }
  double entropy(const Weights& w) const { return gaussian_entropy(w); }
  LightForm form(const ProblemSpec& spec) const requires HasLightForm<P> {
    LightForm out = known_.form(spec);
    out.moment = !out.leak;  // where the noise is known, this is the extended Kalman filter
    return out;
  }
  /// What the linearised filter expects of a step: averages over what may be measured take a
  /// thousand times as long, and belief-dp plans no better with them.
  std::unique_ptr<BeliefDynamics> make_dynamics() const requires HasExpectedReward<P> {
    return known_.make_dynamics();
  }

  /// The Gaussian with the moments of the posterior of N(m, s I) after measuring z.
  Gaussian<2> posterior(const Gaussian<2>& prior, const Vector<2>& z) const {
    const double s = prior.covariance(0, 0), sd = std::sqrt(s);
    const double offset = problem_.light() - prior.mean[0], scale = scale_of(z[0]);
    const auto tau = [&](double x) { return x / sd + std::asinh((x - offset) / scale); };
    const double first = tau(-kReach * sd), last = tau(kReach * sd);
    const int steps = static_cast<int>(std::ceil((last - first) / kStep));
    const double step = (last - first) / steps;
    Sums sums;
    double v = std::asinh((-kReach * sd - offset) / scale);  // x - light = scale sinh v
    for (int i = 0; i <= steps; ++i) {
      const double want = first + i * step;
      double wide = 0.0, x = 0.0;
      for (int k = 0; k < kNewton; ++k) {
        const double e = std::exp(v);
        x = offset + 0.5 * scale * (e - 1.0 / e);
        wide = 0.5 * scale * (e + 1.0 / e);
        v += (want - x / sd - v) / (wide / sd + 1.0);
      }
      const double density = 1.0 / (1.0 / sd + 1.0 / wide);  // dx / dtau
      add(sums, {x, density}, prior, z);
      v += step / (wide / sd + 1.0);
    }
    return moments(sums, prior);
  }

 private:
  /// Nodes within so many standard deviations of the prior, so far apart in tau; Newton's steps
  /// that find each from the one before.
  static constexpr double kReach = 6.0, kStep = 0.4;
  static constexpr int kNewton = 2;

  struct Node {
    double x, width;  // x relative to the prior's mean
  };
  /// A likelihood is factor exp(exponent), up to a constant that all nodes share.
  struct Likelihood {
    double exponent, factor = 1.0;
  };
  /// What is known of y at a node: relative to the prior's mean, and how likely z_y is there.
  struct Slice {
    double mean, variance;
    Likelihood likelihood;
  };
  /// Sums over weights that are divided by exp(top), so that the largest never vanishes.
  struct Sums {
    double top = -std::numeric_limits<double>::infinity();
    double one = 0.0, x = 0.0, xx = 0.0, y = 0.0, yy = 0.0;
  };

  /// The smallest scale on which the likelihood of z_x varies: nearer to the light than a part of
  /// its own distance it cannot have been measured.
  double scale_of(double z) const {
    return std::max(0.25 * std::abs(z - problem_.light()),
                    std::sqrt(problem_.noise_at(problem_.light())));
  }

  Likelihood likelihood(double z, double x, double w) const {
    if (z >= high_[0]) return {log_normal_below((x - high_[0]) / std::sqrt(w))};
    if (z <= low_[0]) return {log_normal_below((low_[0] - x) / std::sqrt(w))};
    return {-0.5 * (z - x) * (z - x) / w, 1.0 / std::sqrt(w)};
  }

  /// y ~ N(m, s) after a measurement z with noise w. Cut off at a limit c, with
  /// k = (m - c) / sqrt(s + w) and l = phi(k) / Phi(k), its mean moves by s / sqrt(s + w) l.
  Slice slice(double z, double m, double s, double w) const {
    const double t = s + w, root = std::sqrt(t);
    const bool above = z >= high_[1];
    if (!above && z > low_[1]) {
      return {s / t * (z - m), s * w / t, {-0.5 * (z - m) * (z - m) / t, 1.0 / root}};
    }
    const double k = (above ? m - high_[1] : low_[1] - m) / root, p = log_normal_below(k);
    const double l = std::exp(-0.5 * k * k - kLogRootTwoPi - p), shift = s / root * l;
    return {above ? shift : -shift, s - s * s / t * std::clamp(l * (l + k), 0.0, 1.0), {p}};
  }

  void add(Sums& sums, const Node& node, const Gaussian<2>& prior, const Vector<2>& z) const {
    const double s = prior.covariance(0, 0), x = prior.mean[0] + node.x, w = problem_.noise_at(x);
    const Slice y = slice(z[1], prior.mean[1], s, w);
    const Likelihood l = likelihood(z[0], x, w);
    const double exponent = -0.5 * node.x * node.x / s + l.exponent + y.likelihood.exponent;
    if (exponent > sums.top) {
      const double shrink = std::exp(sums.top - exponent);
      for (double* sum : {&sums.one, &sums.x, &sums.xx, &sums.y, &sums.yy}) *sum *= shrink;
      sums.top = exponent;
    }
    const double weight =
        node.width * l.factor * y.likelihood.factor * std::exp(exponent - sums.top);
    sums.one += weight;
    sums.x += weight * node.x;
    sums.xx += weight * node.x * node.x;
    sums.y += weight * y.mean;
    sums.yy += weight * (y.mean * y.mean + y.variance);
  }

  static Gaussian<2> moments(const Sums& sums, const Gaussian<2>& prior) {
    const Vector<2> shift = Vector<2>(sums.x, sums.y) / sums.one;
    const double both = (sums.xx + sums.yy) / sums.one - shift.squaredNorm();
    return {prior.mean + shift, std::max(0.5 * both, kLeast) * Matrix<2>::Identity()};
  }

  static constexpr double kLeast = 1e-18;  // a variance that rounding cannot lose

  const P& problem_;
  const EkfFilter<P> known_;
  const Vector<2> low_, high_;
};

inline const RegisterFilter kMomentEntry{
    {"moment", "a Gaussian with the exact posterior's mean and variance, by quadrature"}};

}  // namespace bpo
