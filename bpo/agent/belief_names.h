// What the numbers of a belief and of an estimate are, in their order.
#pragma once

#include <string>
#include <vector>

#include "bpo/core/any_problem.h"

namespace bpo {

struct NamedNumbers {
  std::string meaning;             // a sentence about all of them
  std::vector<std::string> names;  // one per number
};

NamedNumbers belief_numbers(const AnyProblem& problem);
NamedNumbers estimate_numbers(const AnyProblem& problem);

}  // namespace bpo
