#include "bpo/report/sweep_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bpo/core/text.h"
#include "bpo/report/table.h"

namespace bpo::report {
namespace {

std::ptrdiff_t count(const std::vector<SweepRow>& rows, SweepState state) {
  return std::count_if(rows.begin(), rows.end(),
                       [&](const SweepRow& row) { return row.state == state; });
}

const char* name_of(SweepState state) {
  if (state == SweepState::kRunning) return "running";
  return state == SweepState::kFailed ? "failed" : "waiting";
}

/// How long the rest takes if as many as run now make it, each in the mean time of those done.
double seconds_left(const std::vector<SweepRow>& rows) {
  const auto done = count(rows, SweepState::kDone), running = count(rows, SweepState::kRunning);
  double taken = 0.0;
  for (const SweepRow& row : rows) taken += row.seconds;
  if (done == 0 || running == 0) return 0.0;
  const double each = taken / static_cast<double>(done);
  const auto waiting = static_cast<double>(count(rows, SweepState::kWaiting));
  return each * (waiting / static_cast<double>(running) + 0.5);
}

}  // namespace

std::string sweep_summary(const std::vector<SweepRow>& rows) {
  const double left = seconds_left(rows);
  return fmt::format("done {}, running {}, failed {}, waiting {}{}\n",
                     count(rows, SweepState::kDone), count(rows, SweepState::kRunning),
                     count(rows, SweepState::kFailed), count(rows, SweepState::kWaiting),
                     left > 0.0 ? "; about " + short_time(left) + " left" : "");
}

std::string sweep_text(const Sweep& sweep, const std::vector<SweepRow>& rows) {
  Rows table{{"run", "state", "where", "why"}};
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (rows[k].where.empty() || rows[k].state == SweepState::kDone) continue;
    table.push_back({sweep.names[k], name_of(rows[k].state), rows[k].where, rows[k].why});
  }
  return sweep_summary(rows) + (table.size() > 1 ? aligned(table) : "");
}

bool has_failures(const std::vector<SweepRow>& rows) {
  return count(rows, SweepState::kFailed) > 0;
}

}  // namespace bpo::report
