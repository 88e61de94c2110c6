// A matrix as shades of one colour, such as a belief over two factors or over time.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bpo/report/svg.h"

namespace bpo::report {

using Cell = std::pair<std::size_t, std::size_t>;  // row, column

struct HeatMap {
  std::string title, x_label, y_label;
  std::vector<std::vector<double>> rows;  // the first is drawn lowest, as on an axis
  std::vector<std::string> row_names, column_names;
  std::vector<Cell> marked = {};  // the truth
  std::string mark = "true cell";
  std::optional<double> full = {};  // the value of the full shade; else the largest
  bool over_time = false;           // column t is the group data-t="t"
};

/// The map as SVG. A value that is not finite is an empty cell.
std::string draw(const HeatMap& map);

/// How strongly a value is shaded, in [0, 1]; 0 where it is not finite.
double shade(double value, double full);
/// Draws the cells alone, as a part of another figure; `size` is that of all cells together.
void draw_cells(Svg& svg, const HeatMap& map, Point corner, Point size);

}  // namespace bpo::report
