// The page of `bpo reproduce` and its small result files: the paper's tables and figures beside
// ours.
#pragma once

#include <string>
#include <vector>

#include "bpo/core/json.h"
#include "bpo/experiments/experiment.h"
#include "bpo/runs/campaign.h"

namespace bpo::experiments {

/// What write_page() has written: the page's path, and its content for a terminal and for a
/// program.
struct Written {
  std::string page;  // its path
  std::string text;
  Json results;
};

/// Writes index.html, which also says what `end` took, and results/ITEM.json of every item into the
/// directory `out`. All tasks must be done.
Written write_page(const std::string& out, const std::vector<const Experiment*>& items,
                   const std::vector<Task>& tasks, const CampaignEnd& end, const Scale& scale);

}  // namespace bpo::experiments
