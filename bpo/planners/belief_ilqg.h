// A reference that is not learned: iterative LQG in belief space (van den Berg et al. 2012),
// planned anew at every step (Platt et al. 2010). Of the plan only the first action is taken. The
// landscape has many valleys, so each plan is the best of several guesses.
#pragma once

#include <cstdint>
#include <memory>

#include "bpo/core/any_problem.h"
#include "bpo/core/policy.h"

namespace bpo {

struct BeliefIlqgOptions {
  std::int64_t guesses = 8;
  std::int64_t iterations = 10;
  std::int64_t rollouts = 16;

  void visit(OptionVisitor& v);
};

/// The planner's policy, which refers to the problem. Throws bad_input unless the problem's belief
/// moves as a vector.
std::unique_ptr<Policy> make_belief_ilqg(const AnyProblem& problem,
                                         const BeliefIlqgOptions& options);

}  // namespace bpo
