// Any bytes, as a sweep's file, are read or refused with a bpo::Error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "bpo/core/error.h"
#include "bpo/runs/sweep_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const bpo::SweepFile file = bpo::parse_sweep(text, "sweep.toml");
    if (file.runs() == 0 || file.runs() > 100'000) std::abort();
  } catch (const bpo::Error& error) {
    if (error.code() != bpo::ErrorCode::kBadInput) std::abort();
  }
  return 0;
}
