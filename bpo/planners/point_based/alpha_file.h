// A policy of alpha vectors as named tensors: "vectors" (n x hidden), and of each its "key" (stage
// * visible + x) and its "action". AlphaPolicy::save() writes them.
#pragma once

#include <memory>
#include <string>

#include "bpo/nn/safetensors.h"
#include "bpo/planners/point_based/alpha_policy.h"

namespace bpo {

/// The policy that was saved in the file, for a problem; bad_input says what does not fit.
std::shared_ptr<const AlphaPolicy> load_vectors(const TensorFile& file, const ProblemSpec& spec,
                                                const std::string& path);

}  // namespace bpo
