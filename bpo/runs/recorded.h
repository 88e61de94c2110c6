// Policies of runs in a loop of one's own: recorded, or looked at step by step.
#pragma once

#include <cstdint>
#include <string>

#include "bpo/agent/bundle.h"
#include "bpo/core/problem_file.h"

namespace bpo {

/// How a problem is recorded; one that is not from a file which says so is bad_input.
RecordingFormat recording_format(const std::string& problem);

/// The run's policy in episodes of somebody else's making; told another number of things than it is
/// used to, it is bad_input.
ActsOn acts_by(LoadedPolicy loaded);

/// Episode `episode` of `seed`, as `bpo play` plays it.
Recording record(LoadedPolicy loaded, std::uint64_t seed, std::uint64_t episode);

}  // namespace bpo
