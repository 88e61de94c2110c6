// Action distributions over blocks of network outputs (rows x 64): categorical for discrete
// actions, diagonal Gaussian with a free log standard deviation for boxes.
#pragma once

#include <span>
#include <vector>

#include "bpo/core/rng.h"

namespace bpo {

/// Softmax down the rows of a block, in place; n columns, padded to 8.
void softmax(int actions, int n, float* block);

/// Sum over actions of p log(p / q) in one column (stride 64).
double categorical_kl(int actions, const float* p, const float* q);
double categorical_entropy(int actions, const float* p);

/// An index drawn with probabilities p (contiguous, summing to about 1), or the most probable one.
int sample_index(std::span<const float> p, Rng& rng);
int most_probable(std::span<const float> p);

/// The standard deviations of a Gaussian head, with what is needed of them for every sample.
class Spread {
 public:
  explicit Spread(std::span<const float> log_std);
  /// Changes it to these logarithms, which are 64 floats apart.
  void read(const float* log_std);
  int dim() const { return static_cast<int>(inverse_.size()); }
  double inverse(int i) const { return inverse_[i]; }  // 1 / sd
  double log_volume() const { return log_volume_; }    // the sum of log sd

 private:
  std::vector<double> inverse_;
  double log_volume_ = 0.0;
};

/// The log-density of action a under N(mean, diag sd^2), and the like; the entries of a mean are 64
/// floats apart.
double gaussian_log_density(const Spread& sd, const float* mean, const float* a);
double gaussian_kl(const Spread& sd, const float* mean, const Spread& other_sd,
                   const float* other_mean);
double gaussian_entropy(const Spread& sd);

}  // namespace bpo
