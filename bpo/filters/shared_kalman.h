// A bank of extended Kalman filters, one for each model of the same system, that share a
// covariance. Its matrices are those of the most probable model: F of its motion, h of a number it
// measures. Then P and the gains are the same for all, and a model costs one prediction:
//   P <- F P F' + Q;   s = h P h' + r,  k = P h' / s,  P <- P - k s k'   for a number of variance r
// and model j, whose estimate is off by d_j so far, has the innovation e_j = z - z_j - h d_j:
//   d_j <- d_j + k e_j,   log p_j <- log p_j - e_j^2 / (2 s).
// The term log s is the same for all models and left out. Noise of different numbers is
// independent, so they come in one by one and nothing is inverted (Bar-Shalom et al. 2001, Sec. 7.4
// and 11.6).
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace bpo {

class SharedKalman {
 public:
  explicit SharedKalman(std::size_t size)
      : jacobian(size * size), size_(size), product_(size * size), gain_(size), along_(size) {}

  std::vector<double> jacobian;  // F, row by row

  /// P <- F P F' + diag(noise).
  void predict(std::span<double> p, std::span<const double> noise) {
    multiply(jacobian, p, product_, false);
    multiply(product_, jacobian, p, true);
    for (std::size_t i = 0; i < size_; ++i) {
      p[i * size_ + i] += noise[i];
      for (std::size_t k = 0; k < i; ++k) {
        p[i * size_ + k] = p[k * size_ + i] = 0.5 * (p[i * size_ + k] + p[k * size_ + i]);
      }
    }
  }

  /// Takes the measurement of one number into P, and returns s; gain() is then k.
  double measure(std::span<double> p, std::span<const double> h, double variance) {
    double s = variance;
    for (std::size_t i = 0; i < size_; ++i) {
      along_[i] = dot(p.subspan(i * size_, size_), h);
    }
    s = std::max(s + dot(along_, h), kLeast);
    for (std::size_t i = 0; i < size_; ++i) gain_[i] = along_[i] / s;
    for (std::size_t i = 0; i < size_; ++i) {
      for (std::size_t k = 0; k <= i; ++k) {
        const double left = p[i * size_ + k] - gain_[i] * along_[k];
        p[i * size_ + k] = p[k * size_ + i] = i == k ? std::max(left, 0.0) : left;
      }
    }
    return s;
  }
  std::span<const double> gain() const { return gain_; }

  static double dot(std::span<const double> a, std::span<const double> b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  }

 private:
  static constexpr double kLeast = 1e-24;

  /// out = a b, or a b'.
  void multiply(std::span<const double> a, std::span<const double> b, std::span<double> out,
                bool transposed) const {
    for (std::size_t i = 0; i < size_; ++i) {
      for (std::size_t k = 0; k < size_; ++k) {
        double sum = 0.0;
        for (std::size_t m = 0; m < size_; ++m) {
          sum += a[i * size_ + m] * (transposed ? b[k * size_ + m] : b[m * size_ + k]);
        }
        out[i * size_ + k] = sum;
      }
    }
  }

  std::size_t size_;
  std::vector<double> product_, gain_, along_;
};

}  // namespace bpo
