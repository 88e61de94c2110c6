// The extended Kalman filter: a Gaussian belief, moved and corrected with the model linearised at
// its mean. With F, H the Jacobians,
//   m- = f(m, a),  P- = F P F' + Q,   K = P- H' (H P- H' + R)^-1,
//   m' = m- + K (z - h(m-)),   P' = (I - KH) P- (I - KH)' + K R K'  (Joseph's form),
// which keeps P' symmetric and positive whatever the rounding of K.
#pragma once

#include <memory>

#include "bpo/core/belief_dynamics.h"
#include "bpo/core/filter_registry.h"
#include "bpo/core/problem.h"
#include "bpo/filters/gaussian.h"

namespace bpo {

template <HasGaussianModel P>
class EkfFilter {
 public:
  static constexpr const char* kName = "ekf";
  static constexpr int kHidden = P::kHidden, kMeasured = P::kMeasured;
  using Weights = Gaussian<kHidden>;
  using Summary = GaussianSummary<kHidden, P::kIsotropic>;

  explicit EkfFilter(const P& problem) : problem_(problem) {}

  int belief_dim() const { return Summary::kSize; }
  int estimate_dim() const { return kHidden; }
  double belief_scale() const { return 1.0; }
  Weights make_weights() const { return problem_.prior(); }
  void reset(Weights& w) const { w = problem_.prior(); }

  /// Takes in a step. If the result is no longer a Gaussian, it returns false and the belief is the
  /// prior again.
  bool update(Weights& w, const typename P::Observation&, const typename P::Action& a,
              const typename P::Observation& next) const {
    w = moved(w, a);
    const Matrix<kMeasured> r = problem_.noise(w, next);
    const Matrix<kHidden, kMeasured> k = gain(w, r);
    w.covariance = corrected(w, k, r);
    w.mean += k * (problem_.measured(next) - problem_.measure(w.mean));
    if (w.mean.allFinite() && w.covariance.allFinite() && w.covariance.determinant() > 0.0) {
      return true;
    }
    reset(w);
    return false;
  }

  void belief(const Weights& w, std::span<float> out) const { Summary::write(w, out); }
  void estimate(const Weights& w, std::span<float> out) const {
    for (int i = 0; i < kHidden; ++i) out[i] = static_cast<float>(w.mean[i]);
  }
  double entropy(const Weights& w) const { return gaussian_entropy(w); }
  LightForm form(const ProblemSpec&) const requires HasLightForm<P> {
    return problem_.light_form();
  }

  Weights moved(const Weights& w, const typename P::Action& a) const {
    const Matrix<kHidden> f = problem_.move_jacobian(w.mean, a);
    return {problem_.move(w.mean, a),
            f * w.covariance * f.transpose() + problem_.move_noise(w.mean, a)};
  }
  Matrix<kHidden, kMeasured> gain(const Weights& moved, const Matrix<kMeasured>& r) const {
    const Matrix<kMeasured, kHidden> h = problem_.measure_jacobian(moved.mean);
    const Matrix<kMeasured> innovation = h * moved.covariance * h.transpose() + r;
    return moved.covariance * h.transpose() * innovation.inverse();
  }
  Matrix<kHidden> corrected(const Weights& moved, const Matrix<kHidden, kMeasured>& k,
                            const Matrix<kMeasured>& r) const {
    const Matrix<kHidden> keep =
        Matrix<kHidden>::Identity() - k * problem_.measure_jacobian(moved.mean);
    const Matrix<kHidden> p = keep * moved.covariance * keep.transpose() + k * r * k.transpose();
    return 0.5 * (p + p.transpose());
  }

  std::unique_ptr<BeliefDynamics> make_dynamics() const requires HasExpectedReward<P>;

 private:
  const P& problem_;
};

/// The belief that this filter will have, as far as it can be told before the observations come.
template <HasExpectedReward P>
class GaussianDynamics final : public BeliefDynamics {
 public:
  static constexpr int kHidden = P::kHidden, kMeasured = P::kMeasured;
  using Summary = GaussianSummary<kHidden, P::kIsotropic>;

  explicit GaussianDynamics(const P& problem) : problem_(problem), filter_(problem_) {}

  int mean_dim() const override { return kHidden; }
  int belief_dim() const override { return Summary::kSize; }
  void next(std::span<const double> b, std::span<const float> a, std::span<double> b_next,
            std::span<double> w) const override {
    Gaussian<kHidden> g = filter_.moved(Summary::read(b), a);
    const Matrix<kMeasured> r = problem_.expected_noise(g);
    const Matrix<kHidden, kMeasured> k = filter_.gain(g, r);
    const Matrix<kHidden> jump = k * problem_.measure_jacobian(g.mean) * g.covariance;
    g.covariance = filter_.corrected(g, k, r);
    Summary::write(g, b_next);
    for (int i = 0; i < kHidden; ++i) {
      for (int j = 0; j < kHidden; ++j) w[i * kHidden + j] = 0.5 * (jump(i, j) + jump(j, i));
    }
  }
  double reward(std::span<const double> b_next, std::span<const float> a,
                std::span<const float> obs, bool last) const override {
    return problem_.expected_reward(Summary::read(b_next), a, obs, last);
  }

 private:
  const P problem_;
  const EkfFilter<P> filter_;
};

template <HasGaussianModel P>
std::unique_ptr<BeliefDynamics> EkfFilter<P>::make_dynamics() const requires HasExpectedReward<P> {
  return std::make_unique<GaussianDynamics<P>>(problem_);
}

inline const RegisterFilter kEkfEntry{
    {"ekf", "extended Kalman filter: a Gaussian posterior, linearised at its mean"}};

}  // namespace bpo
