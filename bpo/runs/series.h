// The seeds of one training or plan, and what is asked of them.
#pragma once

#include <string>
#include <vector>

#include "bpo/runs/protocol.h"

namespace bpo {

/// Runs of one method that differ in their seed alone. Who needs the same runs shares them.
struct Series {
  std::string problem, method;    // a method or a planner
  std::vector<std::string> sets;  // key=value
  int seeds = 1;
  double seconds = 0.0;  // a seed is expected to take so long on one core
  std::int64_t first_seed = 0;

  /// "chain-bins=10/bpo": where its seeds are, and its name.
  std::string directory() const;
};

struct Request {
  Series series;
  Protocol protocol;
};

}  // namespace bpo
