// A particle filter for the problems of the Gaussian filters, without their linearisation. A
// measurement far sharper than the particles lie is taken in parts: the likelihood to powers that
// leave at least half of the particles effective each, with systematic resampling in between.
// Resampled particles move towards their mean and are spread by a Gaussian kernel, so that mean and
// covariance stay (West and Liu 2001). Random numbers are keyed by the update alone: the belief
// is a function of the history.
#pragma once

#include <algorithm>
#include <vector>

#include "bpo/core/filter_registry.h"
#include "bpo/core/problem.h"
#include "bpo/core/rng.h"
#include "bpo/filters/ekf.h"

namespace bpo {

template <class P>
concept HasParticles = HasGaussianModel<P> && requires(const P& p) {
  { p.particles() } -> std::same_as<int>;
};

template <HasParticles P>
class ParticleFilter {
 public:
  static constexpr const char* kName = "particle";
  static constexpr int kHidden = P::kHidden, kMeasured = P::kMeasured;
  using Summary = GaussianSummary<kHidden, P::kIsotropic>;
  struct Weights {
    std::vector<Vector<kHidden>> x, resampled;
    std::vector<double> w, log_likelihood;  // w sums to 1
    Gaussian<kHidden> moments;
    std::uint32_t updates = 0;
  };

  explicit ParticleFilter(const P& problem) : problem_(problem), count_(problem.particles()) {
    const Gaussian<kHidden> prior = problem.prior();
    Rng rng(kSeed, Use::kFilter, 0);
    for (int i = 0; i < count_; ++i) prior_.push_back(prior.mean + spread(prior.covariance, rng));
  }

  Footprint footprint() const {
    return {count_ * (2.0 * sizeof(Vector<kHidden>) + 2.0 * sizeof(double)), "particles"};
  }
  int belief_dim() const { return Summary::kSize; }
  int estimate_dim() const { return kHidden; }
  double belief_scale() const { return 1.0; }
  Weights make_weights() const {
    Weights w;
    w.resampled.resize(count_);
    w.w.resize(count_);
    w.log_likelihood.resize(count_);
    reset(w);
    return w;
  }
  void reset(Weights& w) const {
    w.x = prior_;
    std::fill(w.w.begin(), w.w.end(), 1.0 / count_);
    w.moments = problem_.prior();
    w.updates = 0;
  }

  bool update(Weights& w, const typename P::Observation&, const typename P::Action& a,
              const typename P::Observation& next) const {
    Rng rng(kSeed, Use::kFilter, 1 + std::uint64_t{w.updates});
    for (Vector<kHidden>& x : w.x) {
      const Matrix<kHidden> noise = problem_.move_noise(x, a);
      x = problem_.move(x, a);
      if (!noise.isZero(0.0)) x += spread(noise, rng);
    }
    double left = 1.0;
    for (int part = 0; part < kMostParts && left > 0.0; ++part) {
      if (!weigh(w, next)) {
        reset(w);
        return false;
      }
      const double power = part + 1 < kMostParts ? largest_power(w, left) : left;
      multiply(w, power);
      left -= power;
      find_moments(w);
      if (effective(w, 0.0) < kResample * count_) resample(w, rng);
    }
    ++w.updates;
    return true;
  }

  void belief(const Weights& w, std::span<float> out) const { Summary::write(w.moments, out); }
  void estimate(const Weights& w, std::span<float> out) const {
    for (int i = 0; i < kHidden; ++i) out[i] = static_cast<float>(w.moments.mean[i]);
  }
  double entropy(const Weights& w) const { return gaussian_entropy(w.moments); }
  std::unique_ptr<BeliefDynamics> make_dynamics() const requires HasExpectedReward<P> {
    return std::make_unique<GaussianDynamics<P>>(problem_);
  }

 private:
  static constexpr std::uint64_t kSeed = 0x9A7;
  static constexpr int kMostParts = 100;
  /// The share of the particles that count after one part, and the share below which they are
  /// resampled: a little more, so that every part but the last ends in a resampling.
  static constexpr double kEffective = 0.5, kResample = 0.55;
  static constexpr double kTiny = 1e-18, kLeastPower = 1e-24;

  /// A sample of N(0, covariance).
  static Vector<kHidden> spread(const Matrix<kHidden>& covariance, Rng& rng) {
    Vector<kHidden> n;
    for (int i = 0; i < kHidden; ++i) n[i] = rng.normal();
    return Eigen::LLT<Matrix<kHidden>>(covariance).matrixL() * n;
  }

  /// Computes the log-likelihoods of the particles, the largest shifted to 0; false if all vanish.
  bool weigh(Weights& w, const typename P::Observation& o) const {
    const Vector<kMeasured> z = problem_.measured(o);
    double top = -std::numeric_limits<double>::infinity();
    for (int i = 0; i < count_; ++i) {
      const Matrix<kMeasured> r = problem_.noise({w.x[i], Matrix<kHidden>::Zero()}, o);
      const Vector<kMeasured> gap = z - problem_.measure(w.x[i]);
      const double l = -0.5 * (gap.dot(r.inverse() * gap) + std::log(r.determinant()));
      w.log_likelihood[i] = std::isnan(l) ? -std::numeric_limits<double>::infinity() : l;
      if (w.w[i] > 0.0) top = std::max(top, w.log_likelihood[i]);
    }
    if (!std::isfinite(top)) return false;
    for (double& l : w.log_likelihood) l -= top;
    return true;
  }

  /// The effective number of particles if the likelihood came in to this power.
  double effective(const Weights& w, double power) const {
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < count_; ++i) {
      const double x = w.w[i] * (power > 0.0 ? std::exp(power * w.log_likelihood[i]) : 1.0);
      sum += x;
      squares += x * x;
    }
    return sum * sum / squares;
  }

  double largest_power(const Weights& w, double left) const {
    const double enough = std::min(kEffective * count_, 0.9 * effective(w, 0.0));
    if (effective(w, left) >= enough) return left;
    double low = kLeastPower * left, high = left;  // halved by ratio: the answer may be tiny
    for (int i = 0; i < 24; ++i) {
      const double middle = std::sqrt(low * high);
      (effective(w, middle) >= enough ? low : high) = middle;
    }
    return low;
  }

  void multiply(Weights& w, double power) const {
    double sum = 0.0;
    for (int i = 0; i < count_; ++i) {
      w.w[i] *= std::exp(power * w.log_likelihood[i]);
      sum += w.w[i];
    }
    for (double& x : w.w) x /= sum;
  }

  void find_moments(Weights& w) const {
    w.moments = {};
    for (int i = 0; i < count_; ++i) w.moments.mean += w.w[i] * w.x[i];
    for (int i = 0; i < count_; ++i) {
      const Vector<kHidden> d = w.x[i] - w.moments.mean;
      w.moments.covariance += w.w[i] * d * d.transpose();
    }
    w.moments.covariance += kTiny * Matrix<kHidden>::Identity();
  }

  void resample(Weights& w, Rng& rng) const {
    // Silverman's bandwidth of the kernel.
    const double h = std::pow(4.0 / ((kHidden + 2.0) * count_), 1.0 / (kHidden + 4.0));
    const double keep = std::sqrt(1.0 - h * h);
    const Matrix<kHidden> kernel =
        Eigen::LLT<Matrix<kHidden>>(h * h * w.moments.covariance).matrixL();
    double below = w.w[0], point = rng.uniform() / count_;
    for (int i = 0, from = 0; i < count_; ++i, point += 1.0 / count_) {
      while (below < point && from + 1 < count_) below += w.w[++from];
      Vector<kHidden> n;
      for (int k = 0; k < kHidden; ++k) n[k] = rng.normal();
      w.resampled[i] = w.moments.mean + keep * (w.x[from] - w.moments.mean) + kernel * n;
    }
    w.x.swap(w.resampled);
    std::fill(w.w.begin(), w.w.end(), 1.0 / count_);
  }

  const P& problem_;
  int count_;
  std::vector<Vector<kHidden>> prior_;
};

inline const RegisterFilter kParticleEntry{
    {"particle", "weighted samples, resampled systematically; told by mean and covariance"}};

}  // namespace bpo
