// An episode step by step, as `bpo play --trace` shows it.
#pragma once

#include <string>

#include "bpo/core/json.h"
#include "bpo/core/solver.h"
#include "bpo/core/trace.h"
#include "bpo/runs/protocol.h"

namespace bpo::report {

std::string trace_text(const Trace& trace);
Json trace_json(const Trace& trace);

/// What came of `protocol.episode` of a run, in a line or two, and without its steps.
std::string episode_text(const RunIdentity& run, const Protocol& protocol, const Trace& trace);
Json episode_json(const RunIdentity& run, const Protocol& protocol, const Trace& trace);

}  // namespace bpo::report
