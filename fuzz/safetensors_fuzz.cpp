// Any bytes either parse or throw bpo::Error, and what parses survives a round trip.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "bpo/core/error.h"
#include "bpo/nn/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const bpo::TensorFile file = bpo::TensorFile::parse(bytes, "fuzz");
    if (bpo::TensorFile::parse(file.serialize(), "again") != file) __builtin_trap();
  } catch (const bpo::Error&) {
  }
  return 0;
}
