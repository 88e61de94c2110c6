#include "bpo/problems/mujoco/prior.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace bpo {
namespace {

double normal_cdf(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

}  // namespace

double Prior::quantile(double u) const {
  switch (kind) {
    case Kind::kUniform:
      return low + u * (high - low);
    case Kind::kLogUniform:
      return low * std::pow(high / low, u);
    case Kind::kChoice: {
      const auto n = static_cast<double>(values.size());
      return values[static_cast<std::size_t>(std::clamp(std::floor(u * n), 0.0, n - 1.0))];
    }
    case Kind::kNormal:
      break;
  }
  const double below = normal_cdf((low - mean) / sd), above = normal_cdf((high - mean) / sd);
  const double wanted = below + u * (above - below);
  double from = low, to = high;
  for (int i = 0; i < 200 && from < to; ++i) {
    const double middle = 0.5 * (from + to);
    if (middle == from || middle == to) break;
    (normal_cdf((middle - mean) / sd) < wanted ? from : to) = middle;
  }
  return 0.5 * (from + to);
}

}  // namespace bpo
