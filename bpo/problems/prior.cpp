#include "bpo/problems/prior.h"

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

double Prior::rank(std::span<const double> mass, double x, double of_x) const {
  double below = 0.0;
  const auto parts = static_cast<double>(mass.size());
  for (std::size_t i = 0; i < mass.size(); ++i) {
    const double low_end = quantile(static_cast<double>(i) / parts),
                 high_end = quantile(static_cast<double>(i + 1) / parts);
    const double share = kind != Kind::kChoice ? (x - low_end) / (high_end - low_end)
                         : values[i] == x      ? of_x
                         : values[i] < x       ? 1.0
                                               : 0.0;
    below += std::clamp(share, 0.0, 1.0) * mass[i];
  }
  return below;
}

std::pair<double, double> Prior::moments() const {
  constexpr int kPoints = 200;
  double sum = 0.0, squares = 0.0;
  for (int i = 0; i < kPoints; ++i) {
    const double x = quantile((i + 0.5) / kPoints);
    sum += x / kPoints;
    squares += x * x / kPoints;
  }
  return {sum, std::sqrt(std::max(squares - sum * sum, 1e-300))};
}

}  // namespace bpo
