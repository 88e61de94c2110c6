#include "bpo/problems/tabular/action_logs.h"

#include <fmt/format.h>

namespace bpo {

void ActionLogs::clear(int action) {
  for (int a = first(action); a < end(action, actions()); ++a) {
    kept_ -= static_cast<double>(logs_[a].size());
    logs_[a].clear();
  }
}

/// What later statements overrode takes time, but no memory.
void ActionLogs::check() {
  if (told_ > kMostOften * most_) {
    in_.fail(in_.peek(), fmt::format("what was told so far stands for more than {:.0f} numbers, "
                                     "most of which were overridden",
                                     kMostOften * most_));
  }
  kept_ = 0.0;
  for (RowLog& log : logs_) {
    log.compact();
    kept_ += static_cast<double>(log.size());
  }
  if (kept_ <= most_) return;
  in_.fail(in_.peek(),
           fmt::format("what was told so far stands for more than {:.0f} numbers", most_));
}

}  // namespace bpo
