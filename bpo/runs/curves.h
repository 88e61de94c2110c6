// How a belief narrows and a return grows, step by step, averaged over episodes.
#pragma once

#include <cstdint>
#include <vector>

#include "bpo/core/any_problem.h"
#include "bpo/core/parallel.h"
#include "bpo/core/policy.h"

namespace bpo {

/// Means over episodes, by time.
struct Curves {
  std::vector<double> entropy;  // the belief's, before the first step and after each
  std::vector<double> so_far;   // the return, after each step
};

/// Episodes 0..count-1 of `seed`, as evaluate() plays them.
Curves curves_of(const AnyProblem& problem, const Policy& policy, std::uint64_t seed,
                 std::int64_t count, ThreadPool& pool);

}  // namespace bpo
