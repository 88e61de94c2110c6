// Cassandra's .pomdp format (pomdp.org/code/pomdp-file-spec.html): a preamble that names or counts
// states, actions and observations, then statements
//   T: a : s : s' p      O: a : s' : o p      R: a : s : s' : o r
// that may leave fields open ('*') or end early, with a row or a matrix in place of the number.
// Later statements override earlier ones. A file without observations is an MDP: its state is seen.
#pragma once

#include <string>
#include <string_view>

#include "bpo/problems/tabular/file_tables.h"

namespace bpo {

/// Throws bad_input with the place where the text is not of this format. Rows that do not sum to
/// one are remarks.
FileTables read_pomdp(std::string_view text, const std::string& file,
                      const TableLimits& limits = {});

}  // namespace bpo
