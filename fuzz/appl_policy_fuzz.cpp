// Any bytes, as a policy of APPL's, are read or refused with a bpo::Error; what was read has a
// finite value at every corner, for everything that may be seen.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "bpo/agent/appl_policy.h"
#include "bpo/core/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const bpo::AlphaShape shape : {bpo::AlphaShape{2, 1, 0}, bpo::AlphaShape{3, 2, 0}}) {
    try {
      const bpo::VectorSets read = bpo::read_appl_policy(text, "fuzzed", shape, 3);
      for (int x = 0; x < shape.visible; ++x) {
        std::vector<double> corner(shape.hidden);
        corner[0] = 1.0;
        const bpo::BestVector best = read.best(x, corner);
        if (best.index < 0 || !std::isfinite(best.value)) std::abort();
      }
    } catch (const bpo::Error& error) {
      if (error.code() != bpo::ErrorCode::kBadInput) std::abort();
    }
  }
  return 0;
}
