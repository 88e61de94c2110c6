#include "bpo/terminal/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "bpo/core/parallel.h"
#include "bpo/core/text.h"
#include "bpo/terminal/print.h"

namespace bpo::terminal {
namespace {

using report::LinePart;

constexpr std::chrono::milliseconds kLivePeriod{100};
constexpr std::chrono::seconds kLogPeriod{5}, kPatience{2};
constexpr int kNoLimit = std::numeric_limits<int>::max();

}  // namespace

std::string fit(std::vector<LinePart> parts, int columns) {
  const auto joined = [&] {
    std::string out;
    for (const LinePart& part : parts) out += (out.empty() ? "" : "  ") + part.text;
    return out;
  };
  while (static_cast<int>(joined().size()) >= columns) {
    const auto first = std::max_element(
        parts.begin(), parts.end(),
        [](const LinePart& a, const LinePart& b) { return a.dispensable < b.dispensable; });
    if (first == parts.end() || first->dispensable == 0) break;
    parts.erase(first);
  }
  return joined();
}

Progress::Progress(std::int64_t iterations, bool quiet)
    : iterations_(iterations), quiet_(quiet), live_(terminal_columns() > 0), shown_(Clock::now()) {}

void Progress::iteration(const Metrics& metrics) {
  if (quiet_) return;
  if (first_ < 0) {
    first_ = metrics.iteration;
    first_seconds_ = metrics["seconds"];
    first_steps_ = metrics["steps"];
  }
  last_ = metrics;
  pending_ = true;
  const Clock::time_point now = Clock::now();
  if (now - shown_ < (live_ ? Clock::duration(kLivePeriod) : Clock::duration(kLogPeriod))) return;
  shown_ = now;
  show(metrics);
}

void Progress::show(const Metrics& metrics) {
  pending_ = false;
  const double seconds = metrics["seconds"] - first_seconds_;
  const auto done = static_cast<double>(metrics.iteration - first_);
  const auto left = static_cast<double>(iterations_ - metrics.iteration);
  const bool measured = done > 0 && seconds > 0;
  const double rate =
      measured ? (metrics["steps"] - first_steps_) / seconds : metrics["steps_per_s"];
  std::vector<LinePart> parts{
      {fmt::format("iteration {}/{}", metrics.iteration, iterations_), 0},
      {fmt::format("return {:.3f}", metrics["return"]), 1},
      {fmt::format("KL {:.4f}", metrics["kl"]), 4},
      {fmt::format("entropy {:.3f}", metrics["entropy"]), 5},
      {fmt::format("belief entropy {:.3f}", metrics["belief_entropy"]), 6},
      {fmt::format("{} steps/s", short_count(rate)), 3},
      {fmt::format("{} left", measured ? short_time(left * seconds / done) : "?"), 2}};
  if (const auto bounds = report::bounds_parts(metrics); !bounds.empty()) parts = bounds;
  if (live_) {
    live_line(fit(parts, terminal_columns()));
  } else {
    notice(fit(parts, kNoLimit) + "\n");
  }
  open_ = live_;
}

void Progress::message(const std::string& text) {
  if (quiet_) return;
  notice((open_ ? "\n" : "") + text + "\n");
  open_ = false;
}

void Progress::finish() {
  if (pending_) show(last_);
  if (std::exchange(open_, false)) notice("\n");
}

void Progress::begin(const std::string& what) {
  if (!quiet_) waiting_.emplace(what);
}

Waiting::Waiting(std::string what)
    : what_(std::move(what)), thread_(start_thread([this] { loop(); })) {}

Waiting::~Waiting() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Waiting::loop() {
  const bool live = terminal_columns() > 0;
  const Clock::time_point start = Clock::now();
  std::unique_lock lock(mutex_);
  bool shown = false;
  for (Clock::duration wait = kPatience; !changed_.wait_for(lock, wait, [&] { return done_; });) {
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    const std::string text = fmt::format("{} ... {}", what_, short_time(seconds));
    if (live) {
      live_line(text);
    } else {
      notice(text + "\n");
    }
    shown = live;
    wait = live ? Clock::duration(std::chrono::seconds(1)) : Clock::duration(kLogPeriod);
  }
  if (shown) clear_live_line();
}

}  // namespace bpo::terminal
