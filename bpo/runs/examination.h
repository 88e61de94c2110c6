// What this program was built with, what the machine offers, and whether one and two threads train
// to the same bits.
#pragma once

#include <string>
#include <vector>

namespace bpo {

struct Fact {
  std::string name, value;
  bool fine = true;
};

std::vector<Fact> examine();

}  // namespace bpo
