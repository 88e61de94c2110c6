// FNV-1a, for telling whether bytes are the same.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace bpo {

class Hash {
 public:
  void add(std::span<const std::byte> bytes) {
    for (const std::byte b : bytes) value_ = (value_ ^ static_cast<std::uint64_t>(b)) * kPrime;
  }
  std::string text() const { return fmt::format("{:016x}", value_); }

 private:
  static constexpr std::uint64_t kPrime = 0x100000001b3;
  std::uint64_t value_ = 0xcbf29ce484222325;
};

/// The hash of a text.
inline std::string hash_of(std::string_view text) {
  Hash hash;
  hash.add(std::as_bytes(std::span(text)));
  return hash.text();
}

}  // namespace bpo
