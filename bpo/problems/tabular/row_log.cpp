#include "bpo/problems/tabular/row_log.h"

#include <algorithm>

namespace bpo {

double RowLog::prepare() {
  start_.assign(static_cast<std::size_t>(rows_) + 1, 0);
  for (const Piece& p : pieces_) ++start_[p.row + 1];
  for (int r = 0; r < rows_; ++r) start_[r + 1] += start_[r];
  order_.resize(pieces_.size());
  std::vector<std::size_t> next(start_.begin(), start_.end() - 1);
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    order_[next[pieces_[i].row]++] = static_cast<std::uint32_t>(i);
  }
  value_.resize(columns_);
  mark_.resize(columns_, 0);
  double count = 0.0;
  for (int row = 0; row < rows_; ++row) {
    settle_row(row);
    count += rest_ != 0.0 ? columns_ : static_cast<double>(touched_.size());
  }
  return count;
}

void RowLog::settle_row(int row) {
  rest_ = 0.0;
  touched_.clear();
  ++now_;
  for (std::size_t i = start_[row]; i < start_[row + 1]; ++i) {
    const Piece& p = pieces_[order_[i]];
    if (p.column == kAll) {
      rest_ = p.value;
      touched_.clear();
      ++now_;
      continue;
    }
    if (mark_[p.column] != now_) touched_.push_back(p.column);
    mark_[p.column] = now_;
    value_[p.column] = p.value;
  }
  if (!std::is_sorted(touched_.begin(), touched_.end()))
    std::sort(touched_.begin(), touched_.end());
}

}  // namespace bpo
