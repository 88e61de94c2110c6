// How well lanes agree with MuJoCo, and a pruned belief with the full posterior, in words.
#pragma once

#include <string>

#include "bpo/core/json.h"
#include "bpo/runs/agreement.h"
#include "bpo/runs/posterior_agreement.h"

namespace bpo::report {

std::string agreement_text(const std::string& problem, const Agreement& agreement);
Json agreement_json(const Agreement& agreement);

std::string posterior_text(const std::string& problem, const PosteriorAgreement& agreement);
Json posterior_json(const PosteriorAgreement& agreement);

}  // namespace bpo::report
