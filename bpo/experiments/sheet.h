// What an item shows: on the page, and as text for a terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bpo/experiments/findings.h"
#include "bpo/report/line_chart.h"
#include "bpo/report/page.h"
#include "bpo/report/table.h"

namespace bpo::experiments {

class Sheet {
 public:
  explicit Sheet(report::Page& page) : page_(page) {}

  void heading(std::string_view text);
  void paragraph(std::string_view text);
  void table(const report::Rows& rows, const std::vector<int>& right);
  void table(const report::Table& table) { this->table(table.rows, table.right); }
  /// Adds a drawing; with `paper` it keeps its light colours on a dark page.
  void figure(std::string_view svg, std::string_view caption, bool paper = false);

  void replay(const report::Replay& replay, std::string_view caption);

  const std::string& text() const { return text_; }

 private:
  report::Page& page_;
  std::string text_;
};

/// The mean over seeds as a cell: "19.23 +- 0.02", "19.23 (not enough seeds)", or "-" for none.
std::string seeds_cell(const Group* finding);
/// The best seed's value as a cell: "19.24", or "-" for none.
std::string best_cell(const Group* finding);
std::string number_cell(const std::optional<double>& value);
/// The difference "first - other" as a cell: over the seeds if there are enough of them, else
/// paired by episode, which it then says.
std::string difference_cell(const Group* first, const Group* other);
/// Adds a point to a curve: the mean over the seeds, with a band where there are enough of them.
void add_point(report::Line& line, double x, const std::vector<double>& by_seed);
/// How the value was measured, as a cell: "exact", "5000 episodes".
std::string how_cell(const Group* finding);

}  // namespace bpo::experiments
