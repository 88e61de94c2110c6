// Pairs of measurements of the same things by two methods, against the line where they are equal.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace bpo::report {

/// A set of points of one kind. Points that are not finite are left out.
struct Cloud {
  std::string name;
  std::vector<double> x, y;
};

/// Clouds of points. Both axes have the same range, and the line y = x is drawn.
struct ScatterChart {
  std::string title, x_label, y_label;
  std::vector<Cloud> clouds;
  std::size_t first_style = 0;  // the series_style() of the first cloud
};

/// The chart as SVG. Cloud k is the group data-series="k".
std::string draw(const ScatterChart& chart);

}  // namespace bpo::report
