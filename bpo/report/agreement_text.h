// How well lanes agree with MuJoCo, in words.
#pragma once

#include <string>

#include "bpo/core/json.h"
#include "bpo/runs/agreement.h"

namespace bpo::report {

std::string agreement_text(const std::string& problem, const Agreement& agreement);
Json agreement_json(const Agreement& agreement);

}  // namespace bpo::report
