// Weighted samples of what stays as it is: how many count, how they are drawn again, and how they
// then move so that they do not become copies of one. In the unit cube of prior probabilities,
//   u' = u + h L n,   L L' = covariance,   n ~ N(0, 1),   h = (4 / (N (d + 2)))^(1 / (d + 4)),
// the regularised particle filter (Musso, Oudjane and Le Gland 2001) with Silverman's width for N
// samples of d factors; what leaves the cube is reflected. The covariance grows by the share h^2.
// To keep it instead (Liu and West 2001) loses the truth: each draw moves the mean at random, most
// where a factor is learnt little, and the samples would never be spread wide enough to come back.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "bpo/core/rng.h"

namespace bpo {

/// The effective number of samples with weights p exp(power l); l <= 0.
inline double effective_samples(std::span<const double> p, std::span<const double> l,
                                double power) {
  double sum = 0.0, squares = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double x = p[i] > 0.0 ? p[i] * std::exp(power * l[i]) : 0.0;
    sum += x;
    squares += x * x;
  }
  return sum * sum / squares;
}

/// The largest power up to `most` that leaves at least so many samples effective.
inline double largest_power(std::span<const double> p, std::span<const double> l, double most,
                            double effective) {
  if (effective_samples(p, l, most) >= effective) return most;
  double low = 0.0, high = most;
  for (int i = 0; i < 30; ++i) {
    const double middle = 0.5 * (low + high);
    (effective_samples(p, l, middle) >= effective ? low : high) = middle;
  }
  return std::max(low, 1e-9 * most);
}

/// Systematic resampling: which sample each new one comes from. The weights sum to 1.
inline void resample(std::span<const double> p, double uniform, std::span<int> from) {
  double below = p[0];
  std::size_t i = 0;
  for (std::size_t k = 0; k < from.size(); ++k) {
    const double wanted = (static_cast<double>(k) + uniform) / static_cast<double>(from.size());
    while (below < wanted && i + 1 < p.size()) below += p[++i];
    from[k] = static_cast<int>(i);
  }
}

/// The kernel that moves samples of so many factors.
class SmoothingKernel {
 public:
  explicit SmoothingKernel(std::size_t factors)
      : factors_(factors), mean_(factors), root_(factors * factors), normal_(factors) {}

  /// Learns mean and covariance of the samples u, [sample][factor].
  void fit(std::span<const double> p, std::span<const double> u) {
    std::fill(mean_.begin(), mean_.end(), 0.0);
    std::fill(root_.begin(), root_.end(), 0.0);
    for (std::size_t j = 0; j < p.size(); ++j) {
      for (std::size_t f = 0; f < factors_; ++f) mean_[f] += p[j] * u[j * factors_ + f];
    }
    for (std::size_t j = 0; j < p.size(); ++j) {
      for (std::size_t f = 0; f < factors_; ++f) {
        for (std::size_t g = 0; g <= f; ++g) {
          root_[f * factors_ + g] +=
              p[j] * (u[j * factors_ + f] - mean_[f]) * (u[j * factors_ + g] - mean_[g]);
        }
      }
    }
    factorise();
    const auto count = static_cast<double>(p.size()), d = static_cast<double>(factors_);
    width_ = std::pow(4.0 / (count * (d + 2.0)), 1.0 / (d + 4.0));
  }

  /// h, of the samples that were fitted.
  double width() const { return width_; }

  /// Moves one sample.
  void move(std::span<double> u, Rng& rng) {
    for (double& n : normal_) n = rng.normal();
    for (std::size_t f = 0; f < factors_; ++f) {
      double x = u[f];
      for (std::size_t g = 0; g <= f; ++g) x += width_ * root_[f * factors_ + g] * normal_[g];
      u[f] = reflected(x);
    }
  }

  /// log |L|, and not below that of a spread of 1e-6 in every factor.
  double log_volume() const {
    double sum = 0.0;
    for (std::size_t f = 0; f < factors_; ++f) {
      sum += std::log(std::max(root_[f * factors_ + f], 1e-6));
    }
    return sum;
  }

  static double reflected(double x) {
    x = std::fmod(std::abs(x), 2.0);
    return x > 1.0 ? 2.0 - x : x;
  }

 private:
  /// Cholesky's factor in place of the covariance; where that is singular, a zero.
  void factorise() {
    for (std::size_t f = 0; f < factors_; ++f) {
      for (std::size_t g = 0; g <= f; ++g) {
        double x = root_[f * factors_ + g];
        for (std::size_t k = 0; k < g; ++k) x -= root_[f * factors_ + k] * root_[g * factors_ + k];
        const double pivot = root_[g * factors_ + g];
        root_[f * factors_ + g] = f == g        ? std::sqrt(std::max(x, 0.0))
                                  : pivot > 0.0 ? x / pivot
                                                : 0;
      }
    }
  }

  std::size_t factors_;
  double width_ = 0.0;
  std::vector<double> mean_, root_, normal_;
};

}  // namespace bpo
