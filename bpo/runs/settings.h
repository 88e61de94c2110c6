// Settings on top of a run's own, and which runs may be put together: seeds of one training into
// one mean, policies in one world into differences by episode. Whatever stands in the way is named.
#pragma once

#include <string>
#include <vector>

#include "bpo/runs/loaded.h"

namespace bpo {

/// The assignments as a configuration, each of which must begin with `prefix`.
Config config_of(const std::vector<std::string>& sets, const std::string& prefix = "");

/// Settings of the world in which `other` differs from `first`: "problem.horizon = 20 instead of
/// 100"; empty if episode e is the same for both. What only the agent sees or believes is left out.
std::string world_difference(const LoadedPolicy& first, const LoadedPolicy& other);

/// Throws bad_input unless both runs are of one problem.
void check_one_problem(const LoadedPolicy& first, const LoadedPolicy& other);
/// Throws bad_input unless the two runs differ in nothing but their seed.
void check_one_training(const LoadedPolicy& first, const LoadedPolicy& other);

}  // namespace bpo
