// Policies that APPL's tools planned (".policy" files), as runs of ours: `eval`, `play`, `compare`
// and `report` take them like any other. Their solver is called "appl".
#pragma once

#include <string>
#include <vector>

namespace bpo {

struct Imported {
  int vectors = 0;
  double claimed = 0.0;  // what the vectors say that the policy is worth at the beginning
};

/// Makes a run in `out` of the policy in the file `policy`, for a problem or a problem file with
/// options "problem.KEY=VALUE". What does not fit is bad_input with its place, and makes nothing.
Imported import_policy(const std::string& problem, const std::string& policy,
                       const std::string& out, const std::vector<std::string>& sets, bool force);

}  // namespace bpo
