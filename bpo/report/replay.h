// A robot's episode to watch beside its belief. For readers without scripts, and on paper, a strip
// of moments; with scripts the page plays it.
#pragma once

#include <string>

#include "bpo/core/trace.h"
#include "bpo/report/svg.h"

namespace bpo::report {

struct Replay {
  std::string strip;   // SVG: a few moments
  std::string belief;  // SVG: the heat map that the script repaints; empty without a grid
  std::string data;    // JSON: what the script draws
  std::size_t frames = 0;
};

/// The replay of a trace, in at most 200 frames. The trace's problem must have a stage.
Replay replay_of(const Trace& trace, const std::string& title);

/// What a camera sees: millimetres to the right, millimetres downwards, and how near it is.
struct Seen {
  Point at;
  double near = 0.0;
};
Seen seen_by(Camera camera, const std::array<double, 3>& place);

}  // namespace bpo::report
