// Generalised advantage estimation (Schulman et al. 2016): A_t = sum_k (gamma lambda)^k
// delta_{t+k}, delta_t = r_t + gamma V_{t+1} - V_t, with value 0 after the last step.
#pragma once

#include <vector>

#include "bpo/core/batch.h"

namespace bpo {

/// Discounted reward to go, by step.
std::vector<double> rewards_to_go(const Batch& batch, double discount);

/// What a value function may be fitted to: G_t = r_t + gamma ((1 - lambda) V_{t+1} + lambda
/// G_{t+1}), which is V + A, and the reward to go if lambda is 1.
std::vector<double> lambda_returns(const Batch& batch, const std::vector<double>& values,
                                   double discount, double lambda);

std::vector<double> generalized_advantages(const Batch& batch, const std::vector<double>& values,
                                           double discount, double lambda);

/// Shifts and scales the advantages to mean 0 and variance 1 over the steps for which `keep` holds
/// (all, if it is empty).
void standardize(std::vector<double>& advantages, const std::vector<std::uint8_t>& keep);

/// 1 - Var(targets - values) / Var(targets): how much of the returns the value function explains.
double explained_variance(const std::vector<double>& values, const std::vector<double>& targets);

}  // namespace bpo
