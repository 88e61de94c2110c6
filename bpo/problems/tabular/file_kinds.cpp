// Files of other programs as problems: Cassandra's format and POMDPX.
#include "bpo/core/problem_file.h"
#include "bpo/problems/tabular/pomdp_reader.h"
#include "bpo/problems/tabular/pomdpx_reader.h"
#include "bpo/problems/tabular/tabular_problem.h"

namespace bpo {
namespace {

using Reader = FileTables (*)(std::string_view, const std::string&, const TableLimits&);

FileKind kind(const char* ending, const char* summary, Reader read) {
  return {ending, summary,
          [=](const std::string& problem, const std::string& text, const std::string& file) {
            return tabular_entry(problem, "from " + file, usable(read(text, file, {}), file));
          }};
}

const RegisterFileKind kPomdp{kind("pomdp", "a finite POMDP in Cassandra's format", read_pomdp)};
const RegisterFileKind kPomdpx{
    kind("pomdpx", "a finite POMDP of several variables in XML, of which some may be seen",
         read_pomdpx)};

}  // namespace
}  // namespace bpo
