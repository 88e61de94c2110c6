#include "bpo/problems/tabular/statement_log.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace bpo {

void StatementLog::begin(int actions, int rows, int columns) {
  actions_ = actions;
  rows_ = rows;
  columns_ = columns;
}

int StatementLog::keep(Row row) {
  kept_.push_back(std::move(row));
  return static_cast<int>(kept_.size()) - 1;
}

void StatementLog::add(const Piece& piece) {
  pieces_.push_back(piece);
  told_ += (piece.action == kAny ? 1.0 * actions_ : 1.0) * (piece.row == kAny ? rows_ : 1);
}

/// By action and row, kAny first, and otherwise as they came.
void StatementLog::sort() {
  const auto before = [](const Piece& p, const Piece& q) {
    return std::tie(p.action, p.row) < std::tie(q.action, q.row);
  };
  if (!std::is_sorted(pieces_.begin(), pieces_.end(), before)) {
    std::stable_sort(pieces_.begin(), pieces_.end(), before);
  }
}

/// The pieces of this action and row, from the last that tells the whole row.
StatementLog::Run StatementLog::take(const Piece*& next, int action, int row) const {
  const Piece* const end = pieces_.data() + pieces_.size();
  const Piece* begin = next;
  for (; next != end && next->action == action && next->row == row; ++next) {
    if (next->whole()) begin = next;
  }
  return {begin, next};
}

void StatementLog::settle_row(std::array<Run, 4> runs, int row) {
  const Piece* base = nullptr;
  at_ = -1;
  for (const Run& run : runs) {
    if (run.begin == run.end) continue;
    at_ = std::max(at_, std::int64_t{run.end[-1].at});
    if (run.begin->whole() && (base == nullptr || run.begin->at > base->at)) base = run.begin;
  }
  plain_ = nullptr;
  rest_ = 0.0;
  touched_.clear();
  ++now_;
  if (base != nullptr) {
    if (base->column <= kKept && base->at == at_) {
      plain_ = &kept_[kKept - base->column];
      return;
    }
    spread(*base, row);
    for (Run& run : runs) {
      while (run.begin != run.end && run.begin->at <= base->at) ++run.begin;
    }
  }
  for (;;) {
    Run* first = nullptr;
    for (Run& run : runs) {
      if (run.begin == run.end) continue;
      if (first == nullptr || run.begin->at < first->begin->at) first = &run;
    }
    if (first == nullptr) break;
    spread(*first->begin++, row);
  }
  if (!std::is_sorted(touched_.begin(), touched_.end()))
    std::sort(touched_.begin(), touched_.end());
}

void StatementLog::spread(const Piece& piece, int row) {
  if (piece.column == kAny) {
    rest_ = piece.value;
    return;
  }
  if (value_.empty()) {
    value_.resize(columns_);
    mark_.resize(columns_);
  }
  const auto put = [&](int column, double value) {
    if (mark_[column] != now_) touched_.push_back(column);
    mark_[column] = now_;
    value_[column] = value;
  };
  if (piece.column <= kKept) {
    for (const auto& [column, value] : kept_[kKept - piece.column]) put(column, value);
  } else {
    put(piece.column == kDiagonal ? row : piece.column, piece.value);
  }
}

double StatementLog::settled_size() const {
  if (plain_ != nullptr) return static_cast<double>(plain_->size());
  return rest_ != 0.0 ? columns_ : static_cast<double>(touched_.size());
}

void StatementLog::gather() {
  entries_.clear();
  if (plain_ != nullptr) {
    entries_ = *plain_;
  } else if (rest_ != 0.0) {
    for (int c = 0; c < columns_; ++c) {
      const double v = !mark_.empty() && mark_[c] == now_ ? value_[c] : rest_;
      if (v != 0.0) entries_.push_back({c, v});
    }
  } else {
    for (const int c : touched_) {
      if (value_[c] != 0.0) entries_.push_back({c, value_[c]});
    }
  }
}

double StatementLog::count(double most) {
  double out = 0.0;
  go_through([&](int, int) { return (out += settled_size()) <= most; });
  return out;
}

}  // namespace bpo
