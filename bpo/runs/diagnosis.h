// What the program was built with, what the machine offers, and whether both are in order.
#pragma once

#include <string>
#include <vector>

namespace bpo {

struct Fact {
  std::string name, value;
  bool fine = true;
};

/// Takes a moment: it trains a little, with one and with two threads.
std::vector<Fact> diagnose();

}  // namespace bpo
