// Beliefs on a grid as heat maps, with the truth marked.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bpo/core/trace.h"
#include "bpo/report/heat_map.h"

namespace bpo::report {

/// The posterior of each factor alone, of a belief on a grid.
std::vector<std::vector<double>> marginals(const BeliefGrid& grid, std::span<const float> belief);

/// The heat map of a belief on a joint grid: of two factors, one posterior over both; of others, a
/// row for each, with as many columns as the finest has cells.
HeatMap joint_belief(const Trace& trace, const Sight& sight);

/// Whether the belief is over the hidden states of a finite problem, each with a name.
bool has_named_states(const Trace& trace);

/// The heat map of one factor's posterior over the steps of an episode, for a problem with a grid;
/// or of the hidden state's, where states have names. Where there are many cells, neighbours share
/// a row; where there are many steps, only some are shown.
HeatMap belief_over_time(const Trace& trace, int factor);

/// A label for the values that the cells first..last of a factor stand for.
std::string value_name(const ProblemView& view, const std::vector<double>& axis, std::size_t first,
                       std::size_t last);
/// The cell whose value is nearest to the given one.
std::size_t nearest_cell(const std::vector<double>& values, double value);

}  // namespace bpo::report
