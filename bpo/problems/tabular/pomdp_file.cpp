// Files in Cassandra's format as problems.
#include <fmt/format.h>

#include "bpo/core/problem_file.h"
#include "bpo/problems/tabular/pomdp_reader.h"
#include "bpo/problems/tabular/tabular_problem.h"

namespace bpo {
namespace {

const RegisterFileKind kPomdp{
    {"pomdp", "a finite POMDP in Cassandra's format",
     [](const std::string& problem, const std::string& text, const std::string& file) {
       return tabular_entry(problem, "from " + file, usable(read_pomdp(text, file), file));
     }}};

}  // namespace
}  // namespace bpo
