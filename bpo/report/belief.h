// Beliefs on a grid as heat maps, with the truth marked.
#pragma once

#include "bpo/core/trace.h"
#include "bpo/report/heat_map.h"

namespace bpo::report {

/// One posterior over two factors; the trace's grid is joint.
HeatMap joint_belief(const Trace& trace, const Sight& sight);

/// The posterior of one factor over the steps of an episode; the spec's grid is not joint. Of many
/// cells neighbours share a row, of many steps every so many are shown.
HeatMap belief_over_time(const Trace& trace, int factor);

/// What the cells first..last of a factor stand for.
std::string value_name(const ProblemView& view, const BeliefGrid& grid, std::size_t first,
                       std::size_t last);
/// The cell whose value is nearest.
std::size_t nearest_cell(const std::vector<double>& values, double value);

}  // namespace bpo::report
