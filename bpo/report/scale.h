// Where a value lies on an axis, and the round values to mark on it.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace bpo::report {

/// Maps [low, high] onto the pixels [from, to], which may run backwards; if `log`, by the
/// logarithm.
struct AxisScale {
  double low = 0.0, high = 1.0, from = 0.0, to = 1.0;
  bool log = false;

  double operator()(double x) const {
    const double share = log ? std::log(x / low) / std::log(high / low) : (x - low) / (high - low);
    return from + share * (to - from);
  }
};

/// The smallest interval that holds what was added; what is not finite is passed over.
struct Extent {
  double low = std::numeric_limits<double>::infinity(), high = -low;

  void add(double x) {
    if (!std::isfinite(x)) return;
    low = std::min(low, x);
    high = std::max(high, x);
  }
  void add(const std::vector<double>& all) {
    for (const double x : all) add(x);
  }
  bool empty() const { return low > high; }
  /// The interval, widened by a share on both sides. It always has a width, and is [0, 1] if
  /// nothing was added.
  Extent padded(double share) const;
};

struct Tick {
  double value = 0.0;
  std::string label;
};

/// Multiples of 1, 2 or 5 times a power of ten in [low, high], at most `most` of them; none if the
/// interval is empty or not finite.
std::vector<Tick> ticks(double low, double high, int most);
/// The powers of ten in [low, high], or round values where there are fewer than two.
std::vector<Tick> log_ticks(double low, double high, int most);

}  // namespace bpo::report
