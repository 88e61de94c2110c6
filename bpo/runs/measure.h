// Measuring a policy: on fresh episodes, and exactly where the problem allows it.
#pragma once

#include "bpo/core/log.h"
#include "bpo/core/simulate.h"
#include "bpo/runs/loaded.h"
#include "bpo/runs/measurement.h"
#include "bpo/runs/protocol.h"

namespace bpo {

/// Takes over returns, their mean and interval, and faults.
void take(const Evaluation& evaluation, Measurement& out);

/// The policy in the problem's world, which `protocol.sets` have changed already. Where exact
/// numbers are not insisted on, a problem that is too large leaves them out.
Measurement measure(const RunIdentity& run, const AnyProblem& problem, const Policy& policy,
                    const Protocol& protocol, Log& log, ThreadPool& pool);

/// Measures a run's policy and adds what its directory says about how the policy came about.
Measurement measure(const LoadedPolicy& loaded, const Protocol& protocol, Log& log,
                    ThreadPool& pool);

}  // namespace bpo
