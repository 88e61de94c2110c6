// Which action a policy takes at every belief over two states, a strip, or three, a triangle whose
// corners are certainty.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace bpo::report {

struct SimplexMap {
  std::string title;
  std::vector<std::string> states, actions;        // two or three states
  std::function<int(std::vector<double>)> action;  // at a belief
};

/// The map as SVG: a region's colour is that of the action's series, and its shape is in it.
std::string draw(const SimplexMap& map);

}  // namespace bpo::report
