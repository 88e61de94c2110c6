// What an item found, as small files that can be kept: by series its settings, every seed's value,
// intervals, episodes, and where it was computed.
#pragma once

#include "bpo/core/json.h"
#include "bpo/experiments/findings.h"

namespace bpo::experiments {

Json results_json(const Experiment& item, const Findings& findings);

}  // namespace bpo::experiments
