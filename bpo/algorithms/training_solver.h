// The methods as solvers: Algorithm 1 with checkpoints and a network that is kept in a file.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bpo/algorithms/checkpoint.h"
#include "bpo/algorithms/train.h"
#include "bpo/core/solver.h"

namespace bpo {

/// The trainer of a solution that a method started.
const Trainer& trainer_of(const Solution& solution);

/// The options of a problem, and those of training whose defaults are its own.
std::vector<OptionRow> problem_options(const ProblemEntry& entry);

}  // namespace bpo
