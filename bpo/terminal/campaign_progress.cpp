#include "bpo/terminal/campaign_progress.h"

#include <fmt/format.h>

#include <algorithm>

#include "bpo/core/text.h"
#include "bpo/terminal/print.h"

namespace bpo::terminal {
namespace {

constexpr std::chrono::seconds kPeriod{30};
constexpr double kTrust = 60.0;  // seconds of work that the plan's expectations are worth

}  // namespace

CampaignProgress::CampaignProgress(const std::vector<Task>& tasks, int threads, bool quiet)
    : threads_(threads), total_(static_cast<int>(tasks.size())), quiet_(quiet) {
  for (const Task& task : tasks) waiting_ += task.series.seconds;
}

double CampaignProgress::seconds_left() const {
  const double pace = (taken_ + kTrust) / (expected_ + kTrust);
  double left = waiting_, longest = 0.0;
  for (const auto& [task, state] : under_way_) {
    const double rest = task->series.seconds * (1.0 - std::min(1.0, state.share));
    left += rest;
    longest = std::max(longest, rest);
  }
  return pace * std::max(longest, left / threads_);
}

void CampaignProgress::begin(const Task& task) {
  const std::lock_guard lock(mutex_);
  under_way_[&task] = {Clock::now()};
  waiting_ -= task.series.seconds;
  ++begun_;
  if (!quiet_) {
    notice(fmt::format("run {} of {}, about {} left: {}\n", begun_, total_,
                       short_time(seconds_left()), printable(task.directory)));
    shown_ = Clock::now();
  }
}

void CampaignProgress::heard(const Task& task, double share) {
  const std::lock_guard lock(mutex_);
  under_way_[&task].share = share;
  const Clock::time_point now = Clock::now();
  if (quiet_ || now - shown_ < kPeriod) return;
  shown_ = now;
  std::string state;
  for (const auto& [other, s] : under_way_) {
    state += fmt::format("  {} {:.0f} %", printable(other->directory), 100.0 * s.share);
  }
  notice(fmt::format("about {} left:{}\n", short_time(seconds_left()), state));
}

void CampaignProgress::end(const Task& task, bool finished) {
  const std::lock_guard lock(mutex_);
  const auto state = under_way_.find(&task);
  if (finished) {
    taken_ += std::chrono::duration<double>(Clock::now() - state->second.began).count();
    expected_ += task.series.seconds;
  }
  under_way_.erase(state);
}

}  // namespace bpo::terminal
