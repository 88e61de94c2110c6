// contract.json: what the numbers of an exported policy are, for whoever wires it up: names, order,
// units, rate, clipping, delay, and what the belief means.
#pragma once

#include "bpo/agent/export/taken_apart.h"
#include "bpo/core/json.h"

namespace bpo {

Json contract_of(const TakenApart& policy);

}  // namespace bpo
