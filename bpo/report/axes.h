// What the charts share: a size that is readable on a telephone as it is, a title, a frame with
// round values and light lines, labels. The label of the vertical axis stands above it, level.
#pragma once

#include <string>
#include <string_view>

#include "bpo/report/scale.h"
#include "bpo/report/svg.h"

namespace bpo::report {

inline constexpr double kChartWidth = 400.0, kTitleSize = 14.0, kTickSize = 12.0;
inline constexpr double kRightMargin = 14.0, kHead = 50.0, kFoot = 44.0;

struct Axis {
  std::string label;
  Extent range;
  bool log = false;

  std::vector<Tick> marks() const;
};

/// A frame that begins at (0, 0): where its plot lies depends on the labels of its ticks.
struct Frame {
  std::string title;
  Axis x, y;
  double height = 220.0;  // the plot's height; 0 makes it as high as it is wide

  double left() const;
  double width() const { return kChartWidth - left() - kRightMargin; }
  double tall() const { return height > 0.0 ? height : width(); }
  /// The lower edge of the whole frame, labels included. Below it there is room for a legend.
  double bottom() const { return kHead + tall() + kFoot; }
  AxisScale across() const;
  AxisScale down() const;
  void draw(Svg& svg) const;
  /// The tag of the group that holds the data: its scales as data-x and data-y, and data-log where
  /// x is logarithmic.
  Tag plot() const;
};

/// A scale as the text "low high from to" of a plot's attributes data-x and data-y.
std::string scale_text(const AxisScale& scale);
void draw_title(Svg& svg, std::string_view title);
/// Says in the middle of a plot that there is nothing to see.
void draw_nothing(Svg& svg, Point middle);
inline constexpr std::string_view kPlusMinus = "\xC2\xB1";
/// The value as a reader wants it: with four significant digits.
std::string shown(double value);

}  // namespace bpo::report
