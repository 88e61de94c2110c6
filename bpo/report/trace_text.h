// An episode step by step, as `bpo play --trace` shows it.
#pragma once

#include <string>

#include "bpo/core/json.h"
#include "bpo/core/trace.h"

namespace bpo::report {

std::string trace_text(const Trace& trace);
Json trace_json(const Trace& trace);

}  // namespace bpo::report
