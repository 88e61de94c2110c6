// What a campaign took, beside its results: campaign.json has a part for every choice of items and
// series that a command named, with the commits of the part's runs and the time of all the commands
// that made them. Results keep nothing that another run of the same commit would not repeat.
#pragma once

#include <string>
#include <vector>

#include "bpo/core/json.h"
#include "bpo/experiments/experiment.h"
#include "bpo/runs/campaign.h"

namespace bpo::experiments {

/// What one command made of its tasks, whether it came to their end or was stopped.
Json campaign_part(const std::vector<const Experiment*>& items,
                   const std::vector<std::string>& only, const std::vector<Task>& tasks,
                   const CampaignEnd& end, const Scale& scale);

/// Puts the part into DIRECTORY/campaign.json, with the time that earlier commands took for it, and
/// returns it so.
Json add_to_part(const std::string& directory, Json part);

/// Puts the part into DIRECTORY/campaign.json in the place of an older one of the same choice.
void replace_part(const std::string& directory, const Json& part);

}  // namespace bpo::experiments
