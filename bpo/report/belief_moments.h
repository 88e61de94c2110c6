// Beliefs that are told by moments, in figures and words.
#pragma once

#include "bpo/core/trace.h"
#include "bpo/report/line_chart.h"

namespace bpo::report {

// These functions are for traces whose belief is (spec.moments).
/// One factor's mean over the steps of an episode with its 90 % interval, and the truth.
LineChart moments_over_time(const Trace& trace, int factor);

/// "1.2+-0.1 0.4+-0.02", a mean and a spread for each factor.
std::string moments_text(const Trace& trace, const Sight& sight);

}  // namespace bpo::report
