// POMDPX (bigbird.comp.nus.edu.sg/pmwiki/farm/appl, "PomdpX file format"): a POMDP in XML, whose
// state is several variables, some of which the agent sees (fullyObs), with tables (TBL) or
// decision diagrams (DD) of each variable given its parents.
#pragma once

#include <string>
#include <string_view>

#include "bpo/problems/tabular/factored.h"

namespace bpo {

/// Throws bad_input with the place where the text is not of this format. Rows that do not sum to
/// one are remarks.
FileTables read_pomdpx(std::string_view text, const std::string& file,
                       const TableLimits& limits = {});

}  // namespace bpo
