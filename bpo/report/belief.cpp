#include "bpo/report/belief.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace bpo::report {
namespace {

constexpr std::size_t kMostRows = 20, kMostColumns = 200;

std::size_t parts(std::size_t count, std::size_t most) { return (count + most - 1) / most; }

}  // namespace

std::string value_name(const ProblemView& view, const BeliefGrid& grid, std::size_t first,
                       std::size_t last) {
  if (first == last && first < view.latent_values.size()) return view.latent_values[first];
  return fmt::format("{:.3g}", 0.5 * (grid.values[first] + grid.values[last]));
}

std::size_t nearest_cell(const std::vector<double>& values, double value) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (std::abs(values[i] - value) < std::abs(values[best] - value)) best = i;
  }
  return best;
}

HeatMap joint_belief(const Trace& trace, const Sight& sight) {
  const BeliefGrid& grid = *trace.spec.grid;
  const std::vector<double>& values = grid.values;
  HeatMap map{.title = "Belief",
              .x_label = trace.view.latents[1],
              .y_label = trace.view.latents[0],
              .full = 1.0};
  for (std::size_t i = 0; i < values.size(); ++i) {
    map.row_names.push_back(value_name(trace.view, grid, i, i));
  }
  map.column_names = map.row_names;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto row = sight.belief.begin() + static_cast<std::ptrdiff_t>(i * values.size());
    map.rows.emplace_back(row, row + static_cast<std::ptrdiff_t>(values.size()));
  }
  map.marked = {{nearest_cell(values, sight.latent[0]), nearest_cell(values, sight.latent[1])}};
  return map;
}

std::optional<BeliefGrid> drawn_grid(const Trace& trace) {
  const ProblemSpec& spec = trace.spec;
  if (spec.grid) return spec.grid->joint ? std::nullopt : spec.grid;
  const std::size_t states = trace.view.latent_values.size();
  if (states < 2 || states != static_cast<std::size_t>(spec.belief_dim)) return std::nullopt;
  BeliefGrid grid;
  for (std::size_t i = 0; i < states; ++i) grid.values.push_back(static_cast<double>(i));
  return grid;
}

HeatMap belief_over_time(const Trace& trace, int factor) {
  const BeliefGrid grid = *drawn_grid(trace);
  const std::vector<double>& values = grid.values;
  const std::size_t cells = values.size(), share = parts(cells, kMostRows);
  std::vector<const Sight*> sights;
  for (const Moment& m : trace.moments) sights.push_back(&m.sight);
  sights.push_back(&trace.end);
  const std::size_t every = parts(sights.size(), kMostColumns);

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
    map.row_names.push_back(value_name(trace.view, grid, r * share, last));
  }
  const auto true_cell = [&](const Sight& sight) {
    const std::vector<float>& phi = sight.latent;
    if (!states) return nearest_cell(values, phi[factor]);
    return static_cast<std::size_t>(std::max_element(phi.begin(), phi.end()) - phi.begin());
  };
  for (std::size_t t = 0; t < sights.size(); t += every) {
    const std::size_t column = map.column_names.size();
    map.column_names.push_back(fmt::to_string(t));
    for (auto& row : map.rows) row.push_back(0.0);
    for (std::size_t c = 0; c < cells; ++c) {
      map.rows[c / share].back() += sights[t]->belief[static_cast<std::size_t>(factor) * cells + c];
    }
    map.marked.emplace_back(true_cell(*sights[t]) / share, column);
  }
  return map;
}

}  // namespace bpo::report
