// Hashes of results that every build has to give to the last bit: at any optimisation level, with
// or without sanitizers. They hold for x86-64-v3, since elsewhere Eigen adds in another order.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bpo/core/hash.h"

namespace bpo::test {

inline bool bits_are_known() { return std::string_view(BPO_ARCH) == "x86-64-v3"; }

template <class T>
void add(Hash& hash, const std::vector<T>& x) {
  hash.add(std::as_bytes(std::span(x)));
}

}  // namespace bpo::test
