// Which runs may be put together: seeds of one training into one mean, policies in one world into
// differences by episode. Whatever stands in the way is named.
#pragma once

#include <string>

#include "bpo/cli/world.h"

namespace bpo::cli {

/// In which settings of the world `other` differs from `first`: "problem.horizon = 20 instead of
/// 100"; empty if episode e is the same for both. What only the agent sees or believes is left out.
std::string world_difference(const LoadedPolicy& first, const LoadedPolicy& other);

/// Throws bad_input unless the two runs differ in nothing but their seed.
void check_one_training(const std::string& first_directory, const LoadedPolicy& first,
                        const std::string& other_directory, const LoadedPolicy& other);

}  // namespace bpo::cli
