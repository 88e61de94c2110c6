// How a belief narrows and a return grows, step by step, averaged over episodes.
#pragma once

#include <cstdint>

#include "bpo/core/parallel.h"
#include "bpo/experiments/findings.h"

namespace bpo::experiments {

/// Episodes 0..count-1 of `seed`, as evaluate() plays them.
Curves curves_of(const AnyProblem& problem, const Policy& policy, std::uint64_t seed,
                 std::int64_t count, ThreadPool& pool);

}  // namespace bpo::experiments
