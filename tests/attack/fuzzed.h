// Feeds a fuzz target a file as it is, cut at every place and with every byte changed. The target
// itself ends the program where something does not hold.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace bpo {

using FuzzTarget = int (*)(const std::uint8_t* data, std::size_t size);

inline void feed(FuzzTarget target, const std::string& seed) {
  const auto give = [&](const std::string& bytes) {
    EXPECT_EQ(target(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()), 0);
  };
  give(seed);
  const std::size_t step = std::max<std::size_t>(1, seed.size() / 300);
  for (std::size_t at = 0; at < seed.size(); at += step) {
    give(seed.substr(0, at));
    std::string changed = seed;
    changed[at] ^= static_cast<char>(1 << at % 8);
    give(changed);
  }
}

}  // namespace bpo
