// Several seeds of one training: their directories, the mean over them with its interval, and the
// best beside it.
#pragma once

#include <string>
#include <vector>

#include "bpo/cli/result.h"

namespace bpo::cli {

std::string seed_directory(const std::string& parent, std::int64_t seed);
/// The runs parent/seed-N by N; empty if there are none.
std::vector<std::string> seed_directories(const std::string& parent);

struct SeedSummary {
  double mean = 0.0, ci95 = 0.0;  // over seeds, by Student's t
  std::size_t best = 0;           // which result
};

SeedSummary summarize(const std::vector<Result>& results);
Json seeds_json(const std::vector<Result>& results);
std::string seeds_text(const std::vector<Result>& results);

/// The 97.5 % quantile of Student's t.
double t_quantile(int degrees);

}  // namespace bpo::cli
