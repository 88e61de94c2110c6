// Where a value lies on an axis, and the round values to mark on it.
#pragma once

#include <string>
#include <vector>

namespace bpo::report {

/// [low, high] onto the pixels [from, to], which may run backwards.
struct Scale {
  double low = 0.0, high = 1.0, from = 0.0, to = 1.0;
  double operator()(double x) const { return from + (x - low) / (high - low) * (to - from); }
};

struct Tick {
  double value = 0.0;
  std::string label;
};

/// Multiples of 1, 2 or 5 times a power of ten in [low, high], at most `most` of them; none if the
/// interval is empty or not finite.
std::vector<Tick> ticks(double low, double high, int most);

}  // namespace bpo::report
