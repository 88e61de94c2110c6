// How far a planner with bounds has come, in a line.
#pragma once

#include <string>

#include "bpo/core/log.h"

namespace bpo::report {

/// Time, trials, backups, bounds, gap, vectors and memory, as far as the metrics have them; empty
/// where they have no upper bound.
std::string bounds_text(const Metrics& metrics);

}  // namespace bpo::report
