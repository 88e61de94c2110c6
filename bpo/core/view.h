// How a problem is told and drawn: names for its numbers, a room or a stage. Nothing here changes
// what anybody computes.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <optional>
#include <string>
#include <vector>

#include "bpo/core/scene.h"

namespace bpo {

/// A room to draw: walls, a vertical line of light, where in an observation the goal stands and how
/// near counts as there. The latent is a position in it, an observation begins with the measured
/// position, the belief with its mean and variance.
struct Room {
  double left = 0.0, right = 0.0, bottom = 0.0, top = 0.0, light = 0.0;
  int goal = 0;
  double reach = 0.0;
};

struct ProblemView {
  std::vector<std::string> observation = {};         // a name for each number of an observation
  std::vector<std::string> observation_values = {};  // names, where an observation is one of a few
  std::vector<std::string> seen_values = {};         // names of the part of the state that is seen
  std::vector<std::string> actions = {};             // each discrete action, or each number of one
  std::vector<std::string> latents = {};             // each factor of the latent
  std::vector<std::string> latent_values = {};  // each cell of a factor, where cells have names
  std::optional<Room> room = {};
  std::optional<Stage> stage = {};
  std::vector<std::string> units = {};         // for each number of an observation that has one
  std::vector<std::string> latent_units = {};  // for each factor of the latent that has one
  std::string action_unit = {};
};

/// A problem says as much of it as it wants to.
template <class P>
concept HasView = requires(const P& p) {
  { p.view() } -> std::same_as<ProblemView>;
};

/// `count` names, those that are missing being numbered.
inline void name_all(std::vector<std::string>& names, const char* what, int count) {
  for (int i = static_cast<int>(names.size()); i < count; ++i) {
    names.push_back(fmt::format("{} {}", what, i + 1));
  }
}

}  // namespace bpo
