// Bounds in words: how far a planner has come with them, and where they say that something is.
#pragma once

#include <string>
#include <vector>

#include "bpo/core/log.h"
#include "bpo/runs/bounds.h"

namespace bpo::report {

/// A part of a line that may have no room for all of them.
struct LinePart {
  std::string text;
  int dispensable = 0;  // the larger, the sooner it goes; 0 stays
};

/// Time, trials, backups, bounds, gap, vectors and memory, as far as the metrics have them; none
/// where there is no upper bound.
std::vector<LinePart> bounds_parts(const Metrics& metrics);

/// "1.2000 to 3.0000", or "at most 3.0000" where the lower bound is not known.
std::string range_text(const Bounds& bounds, int decimals = 4);
/// "the optimum is between 1.2000 and 3.0000", or "the optimum is at most 3.0000".
std::string optimum_text(const Bounds& bounds);

}  // namespace bpo::report
