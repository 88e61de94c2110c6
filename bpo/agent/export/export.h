// `bpo export`: a trained policy for a machine that has none of this program.
#pragma once

#include <string>

#include "bpo/agent/bundle.h"

namespace bpo {

/// Writes bpo_policy.h, bpo_policy_golden.h, bpo_policy_test.c, golden.json and contract.json into
/// a directory that is made, or is there and empty. Throws bad_input where the policy cannot be
/// exported or the directory is not such a one; nothing is then written. Returns what was written,
/// in a sentence for people.
std::string export_c(const LoadedPolicy& loaded, const std::string& directory);

/// Writes or replaces an ONNX model of one step, likewise.
std::string export_onnx(const LoadedPolicy& loaded, const std::string& path);

}  // namespace bpo
