// An episode step by step, as `bpo play --trace` shows it.
#pragma once

#include <string>

#include "bpo/cli/result.h"
#include "bpo/core/trace.h"

namespace bpo::cli {

std::string trace_text(const Trace& trace);
Json trace_json(const Trace& trace);

}  // namespace bpo::cli
