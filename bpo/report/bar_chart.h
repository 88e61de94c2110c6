// Bars with intervals, a row each, so that long names and narrow screens do no harm.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace bpo::report {

struct Bar {
  double value = 0.0;
  double half = 0.0;                     // half the width of its interval; 0: it has none
  std::optional<double> reference = {};  // a mark to compare with
};

/// A bar for each of the chart's series. A bar whose value is not finite is left out.
struct BarGroup {
  std::string name;  // may be empty
  std::vector<std::optional<Bar>> bars;
};

struct BarChart {
  std::string title, x_label;
  std::vector<std::string> series;
  std::vector<BarGroup> groups;
  std::string reference = "";  // what the marks are
};

/// The chart as SVG. Bars begin at zero.
std::string draw(const BarChart& chart);

}  // namespace bpo::report
