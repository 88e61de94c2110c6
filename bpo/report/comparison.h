// Policies side by side on the same episodes, each compared with the first: what there is to say of
// them, as a table for people and as numbers for programs.
#pragma once

#include <optional>
#include <vector>

#include "bpo/core/json.h"
#include "bpo/report/statistics.h"
#include "bpo/report/table.h"
#include "bpo/runs/group.h"

namespace bpo::report {

/// One group beside the first one. What needs seeds is absent where there are too few.
struct ComparisonRow {
  const Group* group = nullptr;
  Mean over_episodes;
  double mean = 0.0, best = 0.0, iqm = 0.0;
  std::optional<Mean> paired, over_seeds, seed_difference;
  std::optional<Estimate> iqm_interval, better;
  std::optional<Bounds> missing;  // optimum - mean, as far as planners' bounds tell
  std::optional<double> g;        // Hedges' g of first - this
  std::optional<double> p;        // probability if seeds did not differ; Holm's over all rows
};
using Comparison = std::vector<ComparisonRow>;

/// Refers to the groups.
Comparison compare(const std::vector<Group>& groups);

/// What is known of the optimum in the first group's world.
std::optional<Bounds> optimum_bounds(const std::vector<Group>& groups);

/// Where the optimum is, as a line of text; empty where no planner found bounds.
std::string bounds_sentence(const Comparison& rows);
Rows comparison_table(const Comparison& rows);
/// The columns of both tables that are flushed right.
const std::vector<int>& comparison_right();
/// What a reader of the table must know: worlds that differ, episodes that broke down.
std::vector<std::string> comparison_notes(const std::vector<Group>& groups);
/// One number per cell, all digits; what is unknown is empty.
Rows comparison_numbers(const Comparison& rows);
Json comparison_json(const Comparison& rows, const Protocol& protocol);

}  // namespace bpo::report
