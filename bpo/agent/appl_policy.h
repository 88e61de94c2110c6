// Policies in the XML of APPL's tools, for problems without an end: vectors over hidden states,
// each with an action and the seen value that it is for ("obsValue").
//   <Policy version="0.1" type="value" model="NAME">
//   <AlphaVector vectorLength="2" numObsValue="1" numVectors="1">
//   <Vector action="0" obsValue="0">1.5 -2 </Vector>
//   </AlphaVector> </Policy>
#pragma once

#include <string>
#include <string_view>

#include "bpo/core/file.h"
#include "bpo/planners/point_based/alpha_policy.h"

namespace bpo {

/// Throws bad_input where the policy has stages, which the format cannot say.
std::string appl_policy_text(const AlphaPolicy& policy, const std::string& model);
/// The same in pieces, for policies of many vectors; it refers to `policy`.
Pieces appl_policy_pieces(const AlphaPolicy& policy, const std::string& model);

/// What the text holds, for a problem of this shape; bad_input says what is wrong and where. Dense
/// and sparse vectors are read.
VectorSets read_appl_policy(std::string_view text, const std::string& file, const AlphaShape& shape,
                            int actions);

}  // namespace bpo
