// Measurements that are remembered: they stay beside the run until the policy, the world or the
// episodes are others.
#pragma once

#include <optional>
#include <string>

#include "bpo/core/parallel.h"
#include "bpo/runs/measurement.h"
#include "bpo/runs/protocol.h"

namespace bpo {

/// What is remembered of the run, if it is enough for `protocol`: returns, faults, exact values and
/// curves.
std::optional<Measurement> recall(const std::string& run, const Protocol& protocol);

/// Measures and remembers it.
void measure_and_remember(const std::string& run, const Protocol& protocol, ThreadPool& pool);

/// The episode that `protocol` wants step by step.
Trace trace_of(const std::string& run, const Protocol& protocol);

}  // namespace bpo
