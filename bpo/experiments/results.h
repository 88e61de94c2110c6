// What an item found, as small files that can be kept: by series its settings, every seed's value,
// intervals, episodes, and where it was computed.
#pragma once

#include <nlohmann/json.hpp>

#include "bpo/experiments/findings.h"

namespace bpo::experiments {

nlohmann::ordered_json results_json(const Experiment& item, const Findings& findings);

}  // namespace bpo::experiments
