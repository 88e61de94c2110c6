// Any bytes, as a problem in TOML, are read or refused with a bpo::Error; a problem that was read
// has sound tables.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "bpo/core/problem_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const bpo::ProblemEntry entry =
        bpo::file_kinds().at("latent-mdp").read("fuzzed", text, "fuzzed.toml");
    bpo::Config config;
    const auto tables = entry.make(config)->tabular();
    try {
      check(*tables, "fuzzed");
    } catch (const bpo::Error&) {
      std::abort();
    }
  } catch (const bpo::Error& error) {
    if (error.code() != bpo::ErrorCode::kBadInput) std::abort();
  }
  return 0;
}
