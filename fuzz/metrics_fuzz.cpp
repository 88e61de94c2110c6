// Any bytes are a history or refused as bad input with the file and the line. A history has finite
// numbers only, and none of an iteration that no line is about.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "bpo/core/error.h"
#include "bpo/runs/history.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const bpo::History history = bpo::parse_history(text, "metrics.jsonl");
    for (const auto& [name, values] : history) {
      for (const auto& [iteration, value] : values) {
        if (!std::isfinite(value)) std::abort();
        if (history.at("iteration").at(iteration) != iteration) std::abort();
      }
    }
  } catch (const bpo::Error& error) {
    if (error.code() != bpo::ErrorCode::kBadInput) std::abort();
    if (!std::string_view(error.what()).starts_with("metrics.jsonl:")) std::abort();
  }
  return 0;
}
