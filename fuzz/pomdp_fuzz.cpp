// Any bytes, as a .pomdp file, are read or refused with a bpo::Error; what was read is sound, and
// what is written of it reads back.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "bpo/problems/tabular/lint.h"
#include "bpo/problems/tabular/pomdp_reader.h"
#include "bpo/problems/tabular/pomdp_writer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  // A tenth of the limits, under which no text may take more than the memory that `make fuzz`
  // allows.
  const bpo::TableLimits limits{.states = 2e5, .pairs = 2e6, .numbers = 4e6, .names = 5e7};
  bpo::TabularModel m;
  try {
    m = usable(bpo::read_pomdp(text, "fuzzed", limits), "fuzzed");
  } catch (const bpo::Error& error) {
    if (error.code() != bpo::ErrorCode::kBadInput) std::abort();
    return 0;
  }
  check(m, "fuzzed");
  constexpr double kFew = 1000.0;
  if (static_cast<double>(m.states) * m.actions > kFew || m.observations > kFew) return 0;
  lint(m);
  const bpo::TabularModel again = usable(bpo::read_pomdp(pomdp_text(m, "again"), "again"), "again");
  if (again.states != m.states || again.reward != m.reward) std::abort();
  return 0;
}
