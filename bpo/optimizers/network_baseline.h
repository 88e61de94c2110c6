// The value function of the network model.
#pragma once

#include <memory>

#include "bpo/core/parallel.h"
#include "bpo/nn/network.h"
#include "bpo/optimizers/baseline.h"

namespace bpo {

/// A network like the policy's, with t/horizon beside the state, fitted by Gauss-Newton steps
/// within a trust region (as in Schulman et al. 2016, Sec. 5). It may see the true latent, too:
/// given what the policy sees, actions do not depend on it, so the gradient stays unbiased.
std::unique_ptr<Baseline> make_network_baseline(const NetworkSpec& policy,
                                                const BaselineOptions& options, ThreadPool& pool);

}  // namespace bpo
