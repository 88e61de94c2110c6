#include "bpo/cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace bpo::cli {
namespace {

constexpr std::chrono::milliseconds kLivePeriod{100};
constexpr std::chrono::seconds kLogPeriod{5}, kPatience{2};
constexpr const char* kClearLine = "\r\x1b[K";

bool on_terminal() { return ::isatty(STDERR_FILENO) == 1; }

void say(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace

std::string short_count(double count) {
  if (count >= 1e9) return fmt::format("{:.1f}G", count / 1e9);
  if (count >= 1e6) return fmt::format("{:.1f}M", count / 1e6);
  if (count >= 1e4) return fmt::format("{:.0f}k", count / 1e3);
  return fmt::format("{:.0f}", count);
}

std::string short_time(double seconds) {
  if (!(seconds >= 0.0 && seconds < 1e9)) return "?";
  const auto s = static_cast<std::int64_t>(std::llround(seconds));
  if (s >= 3600) return fmt::format("{} h {:02} min", s / 3600, s / 60 % 60);
  if (s >= 60) return fmt::format("{} min {:02} s", s / 60, s % 60);
  return fmt::format("{} s", s);
}

Progress::Progress(std::int64_t iterations, bool quiet)
    : iterations_(iterations), quiet_(quiet), live_(on_terminal()), shown_(Clock::now()) {}

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
  const std::string text = fmt::format(
      "iteration {}/{}  return {:.3f}  KL {:.4f}  entropy {:.3f}  belief entropy {:.3f}  "
      "{} steps/s  {} left",
      metrics.iteration, iterations_, metrics["return"], metrics["kl"], metrics["entropy"],
      metrics["belief_entropy"], short_count(rate),
      measured ? short_time(left * seconds / done) : "?");
  say(live_ ? kClearLine + text : text + "\n");
  open_ = live_;
}

void Progress::message(const std::string& text) {
  if (quiet_) return;
  say((open_ ? "\n" : "") + text + "\n");
  open_ = false;
}

void Progress::finish() {
  if (pending_) show(last_);
  if (std::exchange(open_, false)) say("\n");
}

Waiting::Waiting(std::string what, bool quiet) : what_(std::move(what)) {
  if (!quiet) thread_ = std::thread([this] { loop(); });
}

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
  const bool live = on_terminal();
  const Clock::time_point start = Clock::now();
  std::unique_lock lock(mutex_);
  bool shown = false;
  for (Clock::duration wait = kPatience; !changed_.wait_for(lock, wait, [&] { return done_; });) {
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    say(fmt::format("{}{} ... {}{}", live ? kClearLine : "", what_, short_time(seconds),
                    live ? "" : "\n"));
    shown = live;
    wait = live ? Clock::duration(std::chrono::seconds(1)) : Clock::duration(kLogPeriod);
  }
  if (shown) say(kClearLine);
}

}  // namespace bpo::cli
