// What was measured of a run, in words.
#pragma once

#include <string>

#include "bpo/runs/measurement.h"

namespace bpo::report {

/// What went wrong in a simulation, to be shown beside its mean; empty if nothing did.
std::string fault_notice(const std::string& where, std::int64_t faults, std::int64_t episodes);

/// A few lines.
std::string result_text(const Measurement& measurement);

}  // namespace bpo::report
