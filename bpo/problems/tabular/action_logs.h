// What a .pomdp file tells of T or of O: a RowLog for each action, none of which may grow too
// large, however the text goes about it.
#pragma once

#include <utility>
#include <vector>

#include "bpo/problems/tabular/pomdp_scanner.h"
#include "bpo/problems/tabular/row_log.h"

namespace bpo {

class ActionLogs {
 public:
  static constexpr int kAny = -1;

  /// `most` numbers in all; what is too much is refused where `in` has come to.
  ActionLogs(const PomdpScanner& in, double most) : in_(in), most_(most) {}

  bool empty() const { return logs_.empty(); }
  void begin(int actions, int rows, int columns) {
    rows_ = rows;
    logs_.assign(actions, RowLog(rows, columns));
  }
  /// Forgets the tables of an action, or of any: they are told anew.
  void clear(int action);
  /// Calls tell(log, row) for all that an action and a row stand for.
  template <class Tell>
  void each(int action, int row, const Tell& tell);

  int actions() const { return static_cast<int>(logs_.size()); }
  /// The log of an action, to be settled and forgotten.
  RowLog take(int action) { return std::exchange(logs_[action], RowLog(0, 0)); }

 private:
  // Logs may keep so much more than the limit before it is counted what of it still holds; and a
  // table may be told so many times over.
  static constexpr double kSlack = 1.25, kMostOften = 10.0;

  void check();
  int first(int i) const { return i == kAny ? 0 : i; }
  int end(int i, int all) const { return i == kAny ? all : i + 1; }

  const PomdpScanner& in_;
  double most_;
  int rows_ = 0;
  std::vector<RowLog> logs_;
  double kept_ = 0.0, told_ = 0.0;  // pieces in all logs, now and ever
};

template <class Tell>
void ActionLogs::each(int action, int row, const Tell& tell) {
  for (int a = first(action); a < end(action, actions()); ++a) {
    RowLog& log = logs_[a];
    for (int r = first(row); r < end(row, rows_); ++r) {
      const auto kept = static_cast<double>(log.size()), told = log.told();
      tell(log, r);
      kept_ += static_cast<double>(log.size()) - kept;
      told_ += log.told() - told;
      if (kept_ > kSlack * most_ || told_ > kMostOften * most_) check();
    }
  }
}

}  // namespace bpo
