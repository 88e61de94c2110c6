// What `bpo reproduce --list` tells: the items, the runs they need and the time these take.
#pragma once

#include <string>
#include <vector>

#include "bpo/core/json.h"
#include "bpo/experiments/experiment.h"

namespace bpo::experiments {

/// A line of the list: an item, or all of them.
struct Cost {
  std::string name, title;
  std::size_t runs = 0;
  double seconds = 0.0;  // on one core
};

/// The costs of the items of these names, and of several together, for runs that several need are
/// made once; without names, of all, those of the paper together.
std::vector<Cost> costs_of(const std::vector<std::string>& names, const Scale& scale);

/// All of the paper's items at this scale in words: "97 runs, about 8 minutes on two cores".
std::string extent_text(const Scale& scale);

std::string costs_text(const std::vector<Cost>& costs);
Json costs_json(const std::vector<Cost>& costs);

}  // namespace bpo::experiments
