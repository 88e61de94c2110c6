// A policy of alpha vectors as named tensors: "vectors" (n x hidden), and of each its "key" (stage
// * visible + x) and its "action".
#pragma once

#include <memory>
#include <string>

#include "bpo/nn/safetensors.h"
#include "bpo/planners/point_based/alpha_policy.h"

namespace bpo {

void save_vectors(const AlphaPolicy& policy, TensorFile& file);
/// What the vectors are over and how the policy looks at beliefs, to be read back.
std::string shape_text(const AlphaPolicy& policy);
/// The policy in the file, for a problem; bad_input says what does not fit.
std::shared_ptr<const AlphaPolicy> load_vectors(const TensorFile& file, const std::string& shape,
                                                const ProblemSpec& spec, const std::string& path);

}  // namespace bpo
