// What a planner with bounds says of the best policy of its problem: it is worth at least `lower`,
// for the planner's own is, and nobody's is worth more than `upper`. A planner may know one of them
// only; the other is infinite then.
#pragma once

#include <limits>
#include <optional>
#include <string>

#include "bpo/core/log.h"

namespace bpo {

struct Bounds {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();

  double gap() const { return upper - lower; }
  bool has_lower() const { return lower > -std::numeric_limits<double>::infinity(); }
  bool has_upper() const { return upper < std::numeric_limits<double>::infinity(); }
  /// Both as far from a value: what is missing from there to the best policy.
  Bounds beyond(double value) const { return {lower - value, upper - value}; }
};

/// The bounds that an iteration told; nothing where it told none that is finite.
std::optional<Bounds> bounds_of(const Metrics& metrics);
/// The last bounds of the run in `directory`.
std::optional<Bounds> last_bounds(const std::string& directory);

/// Both are true, so the truth is in both. Nothing and something is something.
std::optional<Bounds> tightest(const std::optional<Bounds>& a, const std::optional<Bounds>& b);

}  // namespace bpo
