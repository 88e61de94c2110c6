// Several seeds of one training: their directories.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bpo {

/// Refused where somebody put a link in its place.
std::string seed_directory(const std::string& parent, std::int64_t seed);
/// The runs parent/seed-N by N; empty if there are none.
std::vector<std::string> seed_directories(const std::string& parent);

/// The run itself, or the seeds that the directory holds.
std::vector<std::string> runs_of(const std::string& directory);

}  // namespace bpo
