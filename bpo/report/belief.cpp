#include "bpo/report/belief.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace bpo::report {
namespace {

constexpr std::size_t kMostRows = 20, kMostMoments = 200;

std::size_t parts(std::size_t count, std::size_t most) { return (count + most - 1) / most; }

/// The hidden states of a finite problem as the cells of one factor.
BeliefGrid states_grid(const Trace& trace) {
  BeliefGrid grid;
  grid.axes.resize(1);
  for (int i = 0; i < trace.spec.belief_dim; ++i) grid.axes[0].push_back(i);
  return grid;
}

/// One row for each factor, for grids of one or of more than two.
HeatMap stacked_belief(const Trace& trace, const Sight& sight) {
  const BeliefGrid& grid = *trace.spec.grid;
  HeatMap map{.title = "Belief", .x_label = "cell", .y_label = "", .full = 1.0};
  std::size_t most = 0;
  for (const auto& axis : grid.axes) most = std::max(most, axis.size());
  const auto posteriors = marginals(grid, sight.belief);
  for (std::size_t f = 0; f < grid.axes.size(); ++f) {
    const std::vector<double>& axis = grid.axes[f];
    map.row_names.push_back(
        fmt::format("{} ({:.3g} to {:.3g})", trace.view.latents[f], axis.front(), axis.back()));
    map.rows.push_back(posteriors[f]);
    map.rows.back().resize(most, 0.0);
    map.marked.emplace_back(f, nearest_cell(axis, sight.latent[f]));
  }
  for (std::size_t i = 0; i < most; ++i) map.column_names.push_back(fmt::to_string(i + 1));
  return map;
}

}  // namespace

std::vector<std::vector<double>> marginals(const BeliefGrid& grid, std::span<const float> belief) {
  std::vector<std::vector<double>> out;
  std::size_t first = 0, stride = belief.size();  // a joint cell's index is a number of mixed base
  for (const auto& axis : grid.axes) {
    std::vector<double>& mass = out.emplace_back(axis.size(), 0.0);
    if (grid.joint) {
      stride /= axis.size();
      for (std::size_t i = 0; i < belief.size(); ++i) mass[i / stride % axis.size()] += belief[i];
    } else {
      std::copy_n(belief.begin() + static_cast<std::ptrdiff_t>(first), axis.size(), mass.begin());
      first += axis.size();
    }
  }
  return out;
}

std::string value_name(const ProblemView& view, const std::vector<double>& axis, std::size_t first,
                       std::size_t last) {
  if (first == last && first < view.latent_values.size()) return view.latent_values[first];
  return fmt::format("{:.3g}", 0.5 * (axis[first] + axis[last]));
}

std::size_t nearest_cell(const std::vector<double>& values, double value) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (std::abs(values[i] - value) < std::abs(values[best] - value)) best = i;
  }
  return best;
}

HeatMap joint_belief(const Trace& trace, const Sight& sight) {
  const auto& axes = trace.spec.grid->axes;
  if (axes.size() != 2) return stacked_belief(trace, sight);
  HeatMap map{.title = "Belief",
              .x_label = trace.view.latents[1],
              .y_label = trace.view.latents[0],
              .full = 1.0};
  const auto width = static_cast<std::ptrdiff_t>(axes[1].size());
  for (std::size_t i = 0; i < axes[0].size(); ++i) {
    map.row_names.push_back(value_name(trace.view, axes[0], i, i));
    const auto row = sight.belief.begin() + static_cast<std::ptrdiff_t>(i) * width;
    map.rows.emplace_back(row, row + width);
  }
  for (std::size_t i = 0; i < axes[1].size(); ++i) {
    map.column_names.push_back(value_name(trace.view, axes[1], i, i));
  }
  map.marked = {{nearest_cell(axes[0], sight.latent[0]), nearest_cell(axes[1], sight.latent[1])}};
  return map;
}

bool has_named_states(const Trace& trace) {
  const std::size_t states = trace.view.latent_values.size();
  return !trace.spec.grid && states > 1 &&
         states == static_cast<std::size_t>(trace.spec.belief_dim);
}

HeatMap belief_over_time(const Trace& trace, int factor) {
  const BeliefGrid grid = trace.spec.grid ? *trace.spec.grid : states_grid(trace);
  const std::vector<double>& axis = grid.axes[factor];
  const std::size_t cells = axis.size(), share = parts(cells, kMostRows);
  std::vector<const Sight*> sights;
  for (const Moment& m : trace.moments) sights.push_back(&m.sight);
  sights.push_back(&trace.end);
  const std::size_t every = parts(sights.size(), kMostMoments);

  const bool states = !trace.spec.grid;
  const std::string name = states ? "the hidden state" : trace.view.latents[factor];
  HeatMap map{.title = fmt::format("Belief over {}", name),
              .x_label = "step",
              .y_label = name,
              .rows = std::vector<std::vector<double>>(parts(cells, share)),
              .mark = "truth",
              .full = share > 1 ? std::nullopt : std::optional(1.0),
              .over_time = true};
  for (std::size_t r = 0; r < map.rows.size(); ++r) {
    const std::size_t last = std::min(cells, (r + 1) * share) - 1;
    map.row_names.push_back(value_name(trace.view, axis, r * share, last));
  }
  const auto true_cell = [&](const Sight& sight) {
    const std::vector<float>& phi = sight.latent;
    if (!states) return nearest_cell(axis, phi[factor]);
    return static_cast<std::size_t>(std::max_element(phi.begin(), phi.end()) - phi.begin());
  };
  for (std::size_t t = 0; t < sights.size(); t += every) {
    const std::size_t column = map.column_names.size();
    map.column_names.push_back(fmt::to_string(t));
    for (auto& row : map.rows) row.push_back(0.0);
    const auto posterior = marginals(grid, sights[t]->belief)[factor];
    for (std::size_t c = 0; c < cells; ++c) map.rows[c / share].back() += posterior[c];
    map.marked.emplace_back(true_cell(*sights[t]) / share, column);
  }
  return map;
}

}  // namespace bpo::report
