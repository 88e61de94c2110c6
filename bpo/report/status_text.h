// What runs, how far, how fast and when it will be done, as a table and as JSON.
#pragma once

#include <string>
#include <vector>

#include "bpo/core/json.h"
#include "bpo/runs/run_status.h"

namespace bpo::report {

std::string status_text(const std::vector<RunStatus>& all);
Json status_json(const std::vector<RunStatus>& all);

}  // namespace bpo::report
