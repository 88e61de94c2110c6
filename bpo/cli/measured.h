// Looks at a run's policy, and remembers: what was measured stays beside the run until the policy,
// the world or the episodes are others.
#pragma once

#include <optional>
#include <string>

#include "bpo/core/parallel.h"
#include "bpo/experiments/findings.h"

namespace bpo::cli {

/// What is remembered of the run, if it is enough for `look`; without the trace.
std::optional<experiments::Measured> recall(const std::string& run, const experiments::Look& look);

/// Measures and remembers it.
void measure_and_remember(const std::string& run, const experiments::Look& look, ThreadPool& pool);

/// The episode that `look` wants step by step.
Trace trace_of(const std::string& run, const experiments::Look& look);

}  // namespace bpo::cli
