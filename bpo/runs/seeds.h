// Several seeds of one training: their directories.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bpo/core/config.h"

namespace bpo {

/// Refused where somebody put a link in its place.
std::string seed_directory(const std::string& parent, std::int64_t seed);
/// The runs parent/seed-N by N; empty if there are none.
std::vector<std::string> seed_directories(const std::string& parent);

Config with_seed(Config config, std::int64_t seed);
/// Throws bad_input where the seeds parent/seed-N from `first` on cannot be made or gone on with,
/// because something else is there.
void check_seeds(const std::string& parent, const Config& config, std::int64_t first,
                 std::int64_t count, bool force);

/// The run itself, or the seeds that the directory holds.
std::vector<std::string> runs_of(const std::string& directory);

}  // namespace bpo
