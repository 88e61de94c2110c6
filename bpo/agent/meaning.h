// What the numbers that a policy sees and chooses stand for. Two problems may have inputs of the
// same size that mean different things, such as cells at other places; a policy of one is of no use
// in the other.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "bpo/core/any_problem.h"
#include "bpo/nn/kept_policy.h"

namespace bpo {

using Meaning = nlohmann::ordered_json;

/// The meaning of what a policy sees, if it `sees` this, and of its actions.
Meaning meaning_of(const AnyProblem& problem, Sees sees);

/// The first difference as a sentence's middle: "belief.cells[0] is 0.8 instead of 0.84"; empty if
/// there is none.
std::string difference(const Meaning& trained, const Meaning& now);

}  // namespace bpo
