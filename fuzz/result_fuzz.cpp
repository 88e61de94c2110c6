// Any bytes are a result or refused as bad input with the file; what was read can be shown, and
// prints to JSON that reads back and prints the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "bpo/core/error.h"
#include "bpo/report/result_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::string once;
  try {
    const bpo::Measurement result = bpo::parse_result(text, "result.json");
    once = result.json().dump();
    if (bpo::report::result_text(result).empty()) std::abort();
  } catch (const bpo::Error& error) {
    if (error.code() != bpo::ErrorCode::kBadInput) std::abort();
    if (!std::string_view(error.what()).starts_with("result.json: ")) std::abort();
    return 0;
  }
  if (bpo::parse_result(once, "again").json().dump() != once) std::abort();
  return 0;
}
