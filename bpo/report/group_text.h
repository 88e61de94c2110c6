// The seeds of one training, their mean with its interval, and the best beside it.
#pragma once

#include <string>

#include "bpo/core/json.h"
#include "bpo/runs/group.h"

namespace bpo::report {

std::string group_text(const Group& group);
Json group_json(const Group& group);

}  // namespace bpo::report
