// Beliefs on a grid as heat maps, with the truth marked.
#pragma once

#include <optional>

#include "bpo/core/trace.h"
#include "bpo/report/heat_map.h"

namespace bpo::report {

/// The heat map of one posterior over two factors of a problem whose grid is joint.
HeatMap joint_belief(const Trace& trace, const Sight& sight);

/// The cells of a belief whose factors can be drawn over time: those of a grid that is not joint,
/// or the hidden states of a finite problem.
std::optional<BeliefGrid> drawn_grid(const Trace& trace);

/// The heat map of one factor's posterior over the steps of an episode, for a problem that has a
/// drawn_grid(). Where there are many cells, neighbours share a row; where there are many steps,
/// only some are shown.
HeatMap belief_over_time(const Trace& trace, int factor);

/// A label for the values that the cells first..last of a factor stand for.
std::string value_name(const ProblemView& view, const BeliefGrid& grid, std::size_t first,
                       std::size_t last);
/// The cell whose value is nearest to the given one.
std::size_t nearest_cell(const std::vector<double>& values, double value);

}  // namespace bpo::report
