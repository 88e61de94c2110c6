// Progress for people, on standard error: a live line on a terminal, now and then a plain line in a
// log.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bpo/core/log.h"
#include "bpo/report/bounds_text.h"

namespace bpo::terminal {

using Clock = std::chrono::steady_clock;

/// Says what is being waited for once it has taken two seconds, for the life of the object.
class Waiting {
 public:
  explicit Waiting(std::string what);
  ~Waiting();
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  void loop();

  std::string what_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::thread thread_;
};

/// Tells what takes long, and nothing of iterations.
class Notices final : public Log {
 public:
  void iteration(const Metrics&) override {}
  void message(const std::string&) override {}
  void begin(const std::string& what) override { waiting_.emplace(what); }
  void end() override { waiting_.reset(); }

 private:
  std::optional<Waiting> waiting_;
};

/// Shows a training: iteration, return, KL, entropy, belief entropy, steps per second, time left;
/// or the bounds of a planner.
class Progress final : public Log {
 public:
  Progress(std::int64_t iterations, bool quiet);
  ~Progress() override { finish(); }

  void iteration(const Metrics& metrics) override;
  void message(const std::string& text) override;
  void begin(const std::string& what) override;
  void end() override { waiting_.reset(); }
  /// Shows the last iteration and ends the live line.
  void finish();

 private:
  void show(const Metrics& metrics);

  std::int64_t iterations_;
  bool quiet_, live_;
  bool open_ = false;  // a live line stands without its newline
  Clock::time_point shown_;
  std::int64_t first_ = -1;  // the iteration before this process's first
  double first_seconds_ = 0.0, first_steps_ = 0.0;
  Metrics last_;
  bool pending_ = false;
  std::optional<Waiting> waiting_;
};

/// The parts in their order, joined by two spaces, without those that `columns` have no room for.
std::string fit(std::vector<report::LinePart> parts, int columns);

}  // namespace bpo::terminal
