// A finite problem as a POMDPX file, with what is seen marked as such (fullyObs).
#pragma once

#include <string>

#include "bpo/problems/tabular/factored.h"

namespace bpo {

/// Tables as two variables, x and y.
FactoredModel factored(const TabularModel& model);

std::string pomdpx_text(const FactoredModel& model, const std::string& name);

}  // namespace bpo
