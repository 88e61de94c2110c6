// Several seeds of one training: their directories, the mean over them with its interval, and the
// best beside it.
#pragma once

#include <string>
#include <vector>

#include "bpo/cli/result.h"

namespace bpo::cli {

/// Refused where somebody put a link in its place.
std::string seed_directory(const std::string& parent, std::int64_t seed);
/// The runs parent/seed-N by N; empty if there are none.
std::vector<std::string> seed_directories(const std::string& parent);

/// The run itself, or the seeds that the directory holds.
std::vector<std::string> runs_of(const std::string& directory);

/// Throws bad_input unless both runs are of one problem.
void check_one_problem(const std::string& first, const std::string& its_problem,
                       const std::string& other, const std::string& others_problem);

Json seeds_json(const std::vector<Result>& results);
std::string seeds_text(const std::vector<Result>& results);

}  // namespace bpo::cli
