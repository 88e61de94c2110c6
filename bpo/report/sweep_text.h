// The state of a sweep in words.
#pragma once

#include <string>
#include <vector>

#include "bpo/runs/sweep.h"

namespace bpo::report {

/// Counts, the time left, and a row for every run that is under way or failed.
std::string sweep_text(const Sweep& sweep, const std::vector<SweepRow>& rows);
/// "done 190, running 4, failed 0, waiting 6; about 2 min left".
std::string sweep_summary(const std::vector<SweepRow>& rows);
bool has_failures(const std::vector<SweepRow>& rows);

}  // namespace bpo::report
