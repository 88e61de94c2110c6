#include "bpo/problems/tabular/row_log.h"

#include <algorithm>
#include <utility>

namespace bpo {

/// So many that dropping some costs little beside telling them.
void RowLog::choose_most() {
  constexpr std::size_t kFew = 1 << 20;
  const auto size = static_cast<std::size_t>(rows_) + static_cast<std::size_t>(columns_);
  most_ = std::max({kFew, 4 * size, 2 * pieces_.size()});
}

void RowLog::compact() {
  group();
  std::vector<Piece> left;
  for (int row = 0; row < rows_; ++row) {
    if (start_[row] == start_[row + 1]) continue;
    const std::size_t base = base_of(row), end = start_[row + 1];
    const std::uint32_t at = pieces_[order_[end - 1]].at;
    const Piece& first = pieces_[order_[base]];
    const bool whole = first.column < 0;
    if (whole) left.push_back({row, first.column, at, first.value});
    touched_.clear();
    ++now_;
    for (std::size_t i = base + whole; i < end; ++i) {
      touch(pieces_[order_[i]].column, pieces_[order_[i]].value);
    }
    for (const int c : touched_) left.push_back({row, c, at, value_[c]});
  }
  pieces_ = std::move(left);
  start_ = {};
  order_ = {};
  value_ = {};
  mark_ = {};
  choose_most();
}

void RowLog::group() {
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
}

int RowLog::keep(std::vector<SparseRows::Entry> row) {
  kept_.push_back(std::move(row));
  return static_cast<int>(kept_.size()) - 1;
}

double RowLog::prepare(double most) {
  group();
  double count = 0.0;
  for (int row = 0; row < rows_ && count <= most; ++row) {
    settle_row(row);
    count += rest_ != 0.0 ? columns_ : static_cast<double>(touched_.size());
  }
  return count;
}

/// Where in order_ the last piece is that tells the whole row; otherwise where the row begins.
std::size_t RowLog::base_of(int row) const {
  for (std::size_t i = start_[row + 1]; i-- > start_[row];) {
    if (pieces_[order_[i]].column < 0) return i;
  }
  return start_[row];
}

void RowLog::touch(int column, double value) {
  if (mark_[column] != now_) touched_.push_back(column);
  mark_[column] = now_;
  value_[column] = value;
}

void RowLog::settle_row(int row) {
  rest_ = 0.0;
  touched_.clear();
  ++now_;
  for (std::size_t i = base_of(row); i < start_[row + 1]; ++i) {
    const Piece& p = pieces_[order_[i]];
    if (p.column == kAll) {
      rest_ = p.value;
    } else if (p.column <= kKept) {
      for (const auto& [column, value] : kept_[kKept - p.column]) touch(column, value);
    } else {
      touch(p.column, p.value);
    }
  }
  if (!std::is_sorted(touched_.begin(), touched_.end()))
    std::sort(touched_.begin(), touched_.end());
}

}  // namespace bpo
