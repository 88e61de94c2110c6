// What is known of a latent before anything is seen. The cells of a belief are equally probable
// parts of it, each with a model at its median, so that a grid's prior is always uniform.
#pragma once

#include <vector>

namespace bpo {

struct Prior {
  enum class Kind { kUniform, kLogUniform, kNormal, kChoice };
  Kind kind = Kind::kUniform;
  double low = 0.0, high = 1.0;  // limits; of a choice, those of its values
  double mean = 0.0, sd = 1.0;   // of a normal distribution, before it is limited
  std::vector<double> values;    // of a choice, ascending

  /// The value that is not exceeded with probability u.
  double quantile(double u) const;
  double cell_value(int cell, int bins) const { return quantile((cell + 0.5) / bins); }
  /// The prior's middle: a world of its own, and where nominal models stand.
  double middle() const { return quantile(0.5); }
};

}  // namespace bpo
