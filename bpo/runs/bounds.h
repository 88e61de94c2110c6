// What a planner with bounds says of the best policy of its problem: it is worth at least `lower`,
// for the planner's own is, and nobody's is worth more than `upper`.
#pragma once

#include <optional>
#include <string>

#include "bpo/core/log.h"

namespace bpo {

struct Bounds {
  double lower = 0.0, upper = 0.0;

  double gap() const { return upper - lower; }
};

/// The bounds that an iteration told; nothing where it told no finite ones.
std::optional<Bounds> bounds_of(const Metrics& metrics);
/// The last bounds of the run in `directory`.
std::optional<Bounds> last_bounds(const std::string& directory);

/// Both are true, so the truth is in both. Nothing and something is something.
std::optional<Bounds> tightest(const std::optional<Bounds>& a, const std::optional<Bounds>& b);

}  // namespace bpo
