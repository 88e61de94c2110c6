// A finite problem as a .pomdp file, whose numbers read back as they were. The format has neither
// horizons nor variables that are seen: a file of a problem that ends says so in a comment, and
// what was seen becomes a part of the observation.
#pragma once

#include <string>

#include "bpo/core/tabular.h"

namespace bpo {

/// The same problem with nothing seen but the observation, which then tells x as well. What x the
/// episode begins with is not told.
TabularModel told_by_observations(const TabularModel& model);

std::string pomdp_text(const TabularModel& model, const std::string& name);

}  // namespace bpo
