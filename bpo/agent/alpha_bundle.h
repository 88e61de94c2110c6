// The bundle of a policy that was planned: alpha vectors in place of a network's weights.
#pragma once

#include "bpo/agent/bundle.h"
#include "bpo/planners/point_based/alpha_file.h"

namespace bpo {

TensorFile bundle_of(const AlphaPolicy& policy, const AnyProblem& problem, const std::string& toml,
                     const RunIdentity& run);

}  // namespace bpo
