// Finite problems as users bring and take them: a file or a problem of one's own is examined, or
// written in a format that other programs read.
#pragma once

#include <string>
#include <vector>

#include "bpo/problems/tabular/file_tables.h"
#include "bpo/problems/tabular/lint.h"

namespace bpo {

/// What there is to say of a finite problem. Where its tables are wrong, nothing else is known.
struct Examined {
  std::string name;
  FileTables tables;
  TableLint lint;
};

/// What is found of a problem or a file, with options as they are typed after --set.
Examined examine_problem(const std::string& problem, const std::vector<std::string>& sets);

/// The problem as a text of the kind that `out` ends in: .pomdp or .pomdpx.
std::string problem_text(const std::string& problem, const std::vector<std::string>& sets,
                         const std::string& out);

}  // namespace bpo
