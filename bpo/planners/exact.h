// Exact dynamic programming over a problem's information states: the Bayes optimum, and the value
// of any given policy without sampling noise.
//   V_t(i) = max_a sum_o P(o | i, a) (r + gamma V_{t+1}(i'))
#pragma once

#include "bpo/core/information.h"
#include "bpo/core/parallel.h"
#include "bpo/core/policy.h"

namespace bpo {

struct ExactOptimum {
  /// The value of the best policy in the world as it is. Where the problem fixes the latent, that
  /// is a policy which knows it.
  double optimum = 0.0;
  /// The value, in the world as it is, of the policy that is optimal for what the agent believes.
  double bayes_policy = 0.0;
};

/// Computes both. Throws bad_input when there are too many information states to enumerate.
ExactOptimum exact_optimum(const InformationModel& model, ThreadPool& pool);

struct ExactValue {
  double value = 0.0;
  std::size_t states = 0;  // information states the policy reaches
};

/// Throws bad_input when they are too many or the policy has no probabilities().
ExactValue exact_value(const InformationModel& model, const Policy& policy, ThreadPool& pool);

}  // namespace bpo
