// The LightDark figure: for each method the same episode in the same room. Bright is where one
// sees; the true path, the filter's mean, and one standard deviation around it at every step.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bpo/core/trace.h"
#include "bpo/report/svg.h"

namespace bpo::report {

struct RoomPanel {
  std::string title;   // the method and its seed
  std::string source;  // where it came from, for whoever points at the panel
  Room room;
  Point goal;
  std::vector<Point> positions, means;  // at the start and after each step
  std::vector<double> variances;
  double total = 0.0;  // return
};

/// The panel of one episode. Its problem must have a room.
RoomPanel room_panel(const Trace& trace, std::string title, std::string source);

/// Draws the panels side by side; `caption` says which episode of what they show. What belongs to
/// step t is in groups data-t="t". `name` begins the ids of the figure, so that several can stand
/// on one page.
std::string room_figure(std::span<const RoomPanel> panels, std::string_view caption,
                        std::string name = "room");

}  // namespace bpo::report
