// How the series of a chart are told apart: by colour, and a second time by dash and shape.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "bpo/report/svg.h"

namespace bpo::report {

enum class Shape { kCircle, kSquare, kTriangle, kDiamond, kDrop };

struct SeriesStyle {
  std::string_view colour, dash;
  Shape shape = Shape::kCircle;
};

/// The style of series k. There are 35 of them before one comes again.
SeriesStyle series_style(std::size_t k);

void draw_shape(Svg& svg, Shape shape, Point at, double radius, const Style& style);

/// A series in a legend. A reference is a thin line without a shape.
struct LegendKey {
  std::string name;
  SeriesStyle style;
  int series = -1;  // what a script switches on and off; none if negative
  bool line = true, shape = true;
};

/// Draws rows of keys of at most this width, beginning below `corner`, and returns their height.
/// With a null `svg` it only measures.
double draw_legend(Svg* svg, const std::vector<LegendKey>& keys, Point corner, double width);

/// The words, cut to what fits into this width; "..." stands for what was cut.
std::string fitted(std::string_view words, double width, double size);
/// About how wide the words are, in pixels.
double width_of(std::string_view words, double size);
double widest(const std::vector<std::string>& all, double size);

}  // namespace bpo::report
