// A page of figures and tables in one file: styles and scripts are inside, and nothing is asked of
// the network. All of it can be read without scripts; they add hovering, switching series on and
// off, and time. The same calls give the same bytes.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bpo/report/replay.h"
#include "bpo/report/table.h"

namespace bpo::report {

class Page {
 public:
  explicit Page(std::string title) : title_(std::move(title)) {}

  /// Adds a heading of level 2, 3 or 4; those of level 2 are listed at the top of the page.
  void heading(int level, std::string_view text);
  void paragraph(std::string_view text);
  /// Adds a table. The first row is the header; the columns whose index is in `right` are flushed
  /// right.
  void table(const Rows& rows, const std::vector<int>& right = {});
  /// Figures that follow each other stand side by side where there is room. In `svg` what is in
  /// groups data-t gets a slider. A figure with `paper` keeps its light colours on a dark page.
  void figure(std::string_view svg, std::string_view caption, bool paper = false);

  /// Adds a figure that a script plays; without scripts it is a strip of moments.
  void replay(const Replay& replay, std::string_view caption);

  std::string html() const;
  /// The SVG and the caption of every figure that stands still, which can also stand alone.
  const std::vector<std::pair<std::string, std::string>>& figures() const { return figures_; }

 private:
  void open_figures();
  void close_figures();

  std::string title_, body_;
  std::vector<std::pair<std::string, std::string>> contents_;  // id, text
  std::vector<std::pair<std::string, std::string>> figures_;
  bool in_figures_ = false;
};

/// The style sheet and the script that every page holds; they are in page_style.cpp and
/// page_script.cpp.
extern const std::string_view kPageStyle, kPageScript;

}  // namespace bpo::report
