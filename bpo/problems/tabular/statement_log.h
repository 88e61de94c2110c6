// What a .pomdp file tells of T or of O, statement by statement, a later one overriding earlier
// ones. A statement that stands for every action or every state is kept as it stands, and so is
// a row that it repeats: memory follows the text, however many numbers the text stands for.
// Those are worked out row by row, at first only to count them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bpo/core/tabular.h"

namespace bpo {

class StatementLog {
 public:
  static constexpr int kAny = -1;
  using Row = std::vector<SparseRows::Entry>;

  bool empty() const { return actions_ == 0; }
  void begin(int actions, int rows, int columns);

  // What is told at `at`, each time further on in the text. Actions, rows and columns may be kAny.
  void set(int action, int row, int column, double value, std::uint32_t at) {
    add({action, row, column, at, value});
  }
  /// Ones where row and column are the same and zeros elsewhere.
  void set_identity(int action, std::uint32_t at) { add({action, kAny, kDiagonal, at, 1.0}); }
  /// Takes a row of ascending columns that are not zero, for set_row() to name.
  int keep(Row row);
  void set_row(int action, int row, int kept, std::uint32_t at) {
    add({action, row, kKept - kept, at, 0.0});
  }
  /// Rows that were ever told, a row once for each statement that stands for it.
  double told() const { return told_; }

  /// How many numbers that are not zero come of it, or a little more; counts no further than a row
  /// beyond `most`.
  double count(double most);
  /// Calls each(action, row, entries, at) in order, entries being those that are not zero by
  /// ascending column and `at` where the row was last told, or -1 if it never was.
  template <class Each>
  void settle(const Each& each);

 private:
  static constexpr int kDiagonal = -2, kKept = -3;
  struct Piece {
    int action, row;
    int column;  // or kAny, kDiagonal, or kKept - i for the row kept_[i]
    std::uint32_t at;
    double value;
    bool whole() const { return column < 0; }
  };
  struct Run {
    const Piece *begin = nullptr, *end = nullptr;
  };

  void add(const Piece& piece);
  void sort();
  Run take(const Piece*& next, int action, int row) const;
  void settle_row(std::array<Run, 4> runs, int row);
  void spread(const Piece& piece, int row);
  double settled_size() const;
  void gather();
  template <class Each>
  void go_through(const Each& each);

  int actions_ = 0, rows_ = 0, columns_ = 0;
  double told_ = 0.0;
  std::vector<Piece> pieces_;
  std::vector<Row> kept_;
  // These belong to the row that is being settled.
  const Row* plain_ = nullptr;  // all there is, if it is a kept row
  double rest_ = 0.0;           // value of the columns that are not in touched_
  std::int64_t at_ = -1;
  std::vector<int> touched_;
  std::vector<double> value_;
  std::vector<std::uint64_t> mark_;
  std::uint64_t now_ = 0;
  Row entries_;
};

/// Settles each row of each action, of which four runs of pieces tell, until each() says false.
template <class Each>
void StatementLog::go_through(const Each& each) {
  sort();
  const Piece* next = pieces_.data();
  const Run everywhere = take(next, kAny, kAny);
  const Piece* const any_action = next;
  while (next != pieces_.data() + pieces_.size() && next->action == kAny) ++next;
  for (int a = 0; a < actions_; ++a) {
    const Piece* of_any = any_action;
    const Run any_row = take(next, a, kAny);
    for (int r = 0; r < rows_; ++r) {
      settle_row({everywhere, take(of_any, kAny, r), any_row, take(next, a, r)}, r);
      if (!each(a, r)) return;
    }
  }
}

template <class Each>
void StatementLog::settle(const Each& each) {
  go_through([&](int a, int r) {
    gather();
    each(a, r, entries_, at_);
    return true;
  });
}

}  // namespace bpo
