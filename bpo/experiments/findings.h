// What was found by measuring policies: for each request the seeds of its series.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bpo/experiments/experiment.h"
#include "bpo/report/statistics.h"
#include "bpo/runs/campaign.h"

namespace bpo::experiments {

inline bool enough_seeds(const Group& group) { return group.seeds() >= report::kEnoughSeeds; }

class Findings {
 public:
  explicit Findings(Scale scale = {}, std::vector<Gathered> all = {});

  void add(const Request& request, Group group);
  /// The finding that was asked for; null if the method does not apply or was not run.
  const Group* find(const Request& request) const;
  const Scale& scale() const { return scale_; }

 private:
  Scale scale_;
  std::map<std::pair<std::string, std::string>, Group> found_;  // by directory and protocol
};

}  // namespace bpo::experiments
