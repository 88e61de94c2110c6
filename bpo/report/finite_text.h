// What was found out about a finite problem, in words and for machines.
#pragma once

#include <string>

#include "bpo/core/json.h"
#include "bpo/runs/finite.h"

namespace bpo::report {

std::string finite_text(const Examined& examined);
Json finite_json(const Examined& examined);

}  // namespace bpo::report
