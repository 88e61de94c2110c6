// What is known of a latent before anything is seen. The cells of a belief are equally probable
// parts of it, each with a model at its median, so that a grid's prior is always uniform.
#pragma once

#include <span>
#include <utility>
#include <vector>

namespace bpo {

struct Prior {
  enum class Kind { kUniform, kLogUniform, kNormal, kChoice };
  Kind kind = Kind::kUniform;
  double low = 0.0, high = 1.0;  // limits; of a choice, those of its values
  double mean = 0.0, sd = 1.0;   // the normal distribution's, before it is limited
  std::vector<double> values;    // a choice's, ascending

  /// The value that is not exceeded with probability u.
  double quantile(double u) const;
  double cell_value(int cell, int bins) const { return quantile((cell + 0.5) / bins); }
  /// The probability of values below x, and a share of that of x itself, where the prior is cut
  /// into equally probable parts that now have these probabilities, each spread evenly over its
  /// part. If the share is uniform on [0, 1] and the probabilities are right, so is the rank.
  double rank(std::span<const double> mass, double x, double share) const;
  /// Mean and standard deviation.
  std::pair<double, double> moments() const;
  /// The prior's middle: a world of its own, and where nominal models stand.
  double middle() const { return quantile(0.5); }
};

}  // namespace bpo
