// What an item found, as small files that can be kept: by series its settings, every seed's value,
// intervals, episodes, and where it was computed.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "bpo/core/json.h"
#include "bpo/experiments/findings.h"

namespace bpo::experiments {

Json results_json(const Experiment& item, const Findings& findings);

/// An item's results with what was found anew in the place of older series. Series of the same
/// problem that were trained at another commit go: they may be of other defaults, and a table would
/// compare them; their names are added to `gone`. Those of `comparable` commits stay.
Json merged_results(Json kept, const Json& found, std::set<std::string> comparable,
                    std::set<std::string>* gone = nullptr);

/// What DIRECTORY has of these items, or nothing of one that is not there. A file that is no
/// results file is bad_input.
std::map<std::string, Json> kept_results(const std::string& directory,
                                         const std::vector<const Experiment*>& items);

/// Merges each item's results into DIRECTORY/ITEM.json, and returns the names of the series that
/// went because they cannot be compared.
std::set<std::string> merge_into(const std::string& directory,
                                 const std::vector<const Experiment*>& items, const Json& results,
                                 const std::set<std::string>& comparable);

}  // namespace bpo::experiments
