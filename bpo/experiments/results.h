// What an item found, as small files that can be kept: by series its settings, every seed's value,
// intervals, episodes, and where it was computed.
#pragma once

#include <set>
#include <string>

#include "bpo/core/json.h"
#include "bpo/experiments/findings.h"

namespace bpo::experiments {

Json results_json(const Experiment& item, const Findings& findings);

/// An item's results with what was found anew in the place of older series. Series of the same
/// problem that were trained at another commit go: they may be of other defaults, and a table would
/// compare them. Those of `comparable` commits stay.
Json merged_results(Json kept, const Json& found, std::set<std::string> comparable);

/// Merges each item's results into DIRECTORY/ITEM.json; writes nothing if one cannot be read.
void merge_into(const std::string& directory, const Json& results,
                const std::set<std::string>& comparable);

}  // namespace bpo::experiments
