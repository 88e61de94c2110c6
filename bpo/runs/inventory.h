// What there is to choose from: problems, filters, algorithms and planners by name, and the options
// of each.
#pragma once

#include <string>
#include <vector>

#include "bpo/core/config.h"

namespace bpo {

struct InventoryItem {
  std::string name, summary;
};

/// "problems", "filters", "algorithms" and "planners".
const std::vector<std::string>& inventory_kinds();
/// The items of one kind; another word is bad_input.
std::vector<InventoryItem> inventory(const std::string& kind);

/// The options of a problem, a problem file, an algorithm or a planner; another name is bad_input.
std::vector<OptionRow> options_of(const std::string& name);

}  // namespace bpo
