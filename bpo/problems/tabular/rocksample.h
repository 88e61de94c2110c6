// RockSample(n, k) by Smith and Simmons' rules (UAI 2004, Sec. 5): a rover on n x n cells, k rocks
// at known places that are good or bad. Sampling a good rock pays 10 and makes it bad, a bad one
// costs 10, and leaving to the east pays 10. Sampling where no rock is and leaving elsewhere cost
// 100 and end it. Checking a rock from afar is right with probability (1 + 2^(-d / d0)) / 2 at
// distance d, where d0 is the map's; else one sees "good". Discount 0.95. Places, actions and
// observations are in the order of Smith's files, so that their policies fit.
#pragma once

#include "bpo/problems/tabular/factored.h"
#include "bpo/problems/tabular/tabular_problem.h"

namespace bpo {

struct RockSampleOptions {
  std::int64_t n = 4, k = 4, map = 0;
  double sensor = 0.0;
  bool flat = false;
  TabularOptions episodes = {};

  void visit(OptionVisitor& v);
};

/// The rover's place is seen, rocks are hidden.
FactoredModel rocksample(const RockSampleOptions& options);
/// Its tables; flat ones hide the place too and have one state for all that have left.
TabularModel rocksample_tables(const RockSampleOptions& options);

}  // namespace bpo
