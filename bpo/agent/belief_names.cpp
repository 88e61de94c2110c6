#include "bpo/agent/belief_names.h"

#include <fmt/format.h>

#include <utility>

namespace bpo {
namespace {

using Names = std::vector<std::string>;

/// "slip = 0.05" for each cell of a factor, or "model = fair" where cells have names.
Names cells_of(const std::string& factor, const std::vector<double>& axis, const Names& values) {
  Names out;
  for (std::size_t i = 0; i < axis.size(); ++i) {
    out.push_back(values.size() == axis.size() ? fmt::format("{} = {}", factor, values[i])
                                               : fmt::format("{} = {:.6g}", factor, axis[i]));
  }
  return out;
}

Names names_on_grid(const BeliefGrid& grid, const ProblemView& view) {
  Names out;
  for (std::size_t f = 0; f < grid.axes.size(); ++f) {
    const Names cells = cells_of(view.latents[f], grid.axes[f], view.latent_values);
    if (!grid.joint || f == 0) {
      out.insert(out.end(), cells.begin(), cells.end());
      continue;
    }
    Names longer;
    for (const std::string& before : out) {
      for (const std::string& cell : cells) longer.push_back(before + ", " + cell);
    }
    out = std::move(longer);
  }
  return out;
}

Names names_of_moments(const BeliefMoments& moments, const Names& latents) {
  Names out;
  for (const std::string& name : latents) out.push_back("mean of " + name);
  for (const std::string& name : latents) out.push_back("sd of " + name);
  for (std::size_t f = 0; f < latents.size(); ++f) {
    for (std::size_t g = f + 1; g < latents.size(); ++g) {
      out.push_back(fmt::format("correlation of {} and {}", latents[f], latents[g]));
    }
  }
  out.insert(out.end(), moments.state.begin(), moments.state.end());
  return out;
}

/// Hidden states are counted where there are too many to have names.
Names names_of_states(const Names& latents, int count) {
  if (std::ssize(latents) == count) return latents;
  Names out;
  for (int i = 0; i < count; ++i) out.push_back(fmt::format("state {}", i));
  return out;
}

}  // namespace

NamedNumbers belief_numbers(const AnyProblem& problem) {
  const ProblemSpec& spec = problem.spec();
  const ProblemView& view = problem.view();
  if (spec.grid) {
    return {spec.grid->joint
                ? "probabilities of all combinations of the factors' cells, the last factor fastest"
                : "probabilities of the cells of each factor, one factor after the other",
            names_on_grid(*spec.grid, view)};
  }
  if (spec.moments) {
    return {
        "the mean of each factor, then their standard deviations, then the correlations of pairs, "
        "then estimates of the state",
        names_of_moments(*spec.moments, view.latents)};
  }
  if (spec.variance_at >= 0) {
    Names names;
    for (const std::string& name : view.latents) names.push_back("mean of " + name);
    names.push_back("variance");
    return {"the mean of each factor, then the one variance of all", std::move(names)};
  }
  return {"probabilities of the hidden states in the order of `factors`",
          names_of_states(view.latents, spec.belief_dim)};
}

NamedNumbers estimate_numbers(const AnyProblem& problem) {
  const ProblemSpec& spec = problem.spec();
  Names names = problem.view().latents;
  if (spec.estimate_dim <= spec.latent_dim) {
    return {"the most probable value of each factor", std::move(names)};
  }
  if (spec.moments) {
    names.insert(names.end(), spec.moments->state.begin(), spec.moments->state.end());
  }
  return {"the most probable value of each factor, then estimates of the state", std::move(names)};
}

}  // namespace bpo
