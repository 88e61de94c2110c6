// Rows of a table that rules tell piece by piece, a later piece overriding an earlier one. Pieces
// are kept in the order they come in and settled row by row at the end, and a row that a rule
// repeats is kept once, so that what is told with few words, or is mostly zero, takes little
// memory. Now and then those that later ones overrode are dropped, so that it takes no more memory
// to tell a table many times over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bpo/core/tabular.h"

namespace bpo {

class RowLog {
 public:
  RowLog(int rows, int columns) : rows_(rows), columns_(columns) { choose_most(); }

  void set(int row, int column, double value, std::uint32_t at) {
    if (pieces_.size() == most_) compact();
    ++told_;
    pieces_.push_back({row, column, at, value});
  }
  /// Every column of the row.
  void fill(int row, double value, std::uint32_t at) { set(row, kAll, value, at); }
  /// Takes a row of ascending columns that are not zero, for set_row() to name.
  int keep(std::vector<SparseRows::Entry> row);
  void set_row(int row, int kept, std::uint32_t at) { set(row, kKept - kept, 0.0, at); }
  /// Pieces that are kept, some of which may be overridden.
  std::size_t size() const { return pieces_.size(); }
  /// Pieces that ever came in.
  double told() const { return told_; }
  /// Drops what was overridden.
  void compact();

  /// Groups the pieces by row and says how many entries would come of them, or a little more;
  /// counts no further than a row beyond `most`.
  double prepare(double most);
  /// Calls each(row, entries, at) for the rows in order, entries being those that are not zero by
  /// ascending column and `at` where the row was last told, or -1 if it never was.
  template <class Each>
  void settle(const Each& each);

 private:
  static constexpr int kAll = -1, kKept = -2;
  struct Piece {
    int row;
    int column;  // or kAll, or kKept - i for the row kept_[i]
    std::uint32_t at;
    double value;
  };
  void group();
  std::size_t base_of(int row) const;
  void touch(int column, double value);
  void settle_row(int row);
  void choose_most();

  int rows_, columns_;
  std::size_t most_ = 0;  // pieces, before some are dropped
  double told_ = 0.0;
  std::vector<Piece> pieces_;
  std::vector<std::vector<SparseRows::Entry>> kept_;
  std::vector<std::size_t> start_;
  std::vector<std::uint32_t> order_;
  // These belong to the row that is being settled.
  double rest_ = 0.0;  // value of the columns that are not in touched_
  std::vector<int> touched_;
  std::vector<double> value_;
  std::vector<std::uint64_t> mark_;
  std::uint64_t now_ = 0;
  std::vector<SparseRows::Entry> entries_;
};

template <class Each>
void RowLog::settle(const Each& each) {
  for (int row = 0; row < rows_; ++row) {
    settle_row(row);
    entries_.clear();
    if (rest_ != 0.0) {
      for (int c = 0; c < columns_; ++c) {
        const double v = mark_[c] == now_ ? value_[c] : rest_;
        if (v != 0.0) entries_.push_back({c, v});
      }
    } else {
      for (const int c : touched_) {
        if (value_[c] != 0.0) entries_.push_back({c, value_[c]});
      }
    }
    const std::size_t end = start_[row + 1];
    const bool told = end > start_[row];
    each(row, entries_, told ? static_cast<std::int64_t>(pieces_[order_[end - 1]].at) : -1);
  }
}

}  // namespace bpo
