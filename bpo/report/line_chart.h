// Curves with bands over a common axis.
#pragma once

#include <string>
#include <vector>

#include "bpo/report/scale.h"

namespace bpo::report {

/// A curve. Points that are not finite leave a gap in it. `low` and `high`, if given, bound a band
/// around y.
struct Line {
  std::string name;
  std::vector<double> x, y, low = {}, high = {};
};

/// A level to compare with, drawn across the plot.
struct Level {
  std::string name;
  double y = 0.0;
};

struct LineChart {
  std::string title, x_label, y_label;
  std::vector<Line> lines;
  std::vector<Level> levels = {};
  bool log_x = false;   // x that is not positive is then left out
  Extent x_range = {};  // at least this much of x is shown
  double early = 0.0;   // the share of x, from its beginning, that may leave the plot if it would
                        // dwarf the rest
};

/// The chart as SVG. Line k is the group data-series="k"; the legend switches it on and off.
std::string draw(const LineChart& chart);

}  // namespace bpo::report
