// What the torture tests share: how much of them is run, and a line of the table for each fault.
// `make torture` runs all of it; `make test` a cut.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <random>
#include <set>
#include <string>

#include "tests/attack/artifacts.h"

namespace bpo::cli {

inline bool full_torture() {
  const char* how = std::getenv("BPO_TORTURE");
  return how != nullptr && std::string(how) == "full";
}
inline int amount(int of_all, int of_the_cut) { return full_torture() ? of_all : of_the_cut; }

/// Seconds that it may take to read a damaged file, and a command that reads one.
#ifdef BPO_SANITIZED
inline constexpr double kMostReading = 50.0, kMostRunning = 300.0;
#else
inline constexpr double kMostReading = 5.0, kMostRunning = 30.0;
#endif

/// What is wrong with the end of a process that was disturbed; empty when nothing is.
inline std::string wrong_end(const Outcome& outcome, const std::set<int>& fine) {
  if (fine.contains(outcome.status)) return "";
  return "ends with " + std::to_string(outcome.status) + ": " + outcome.err;
}

/// One kind of fault: every try ends in nothing lost, or in words about what was.
class Tally {
 public:
  explicit Tally(std::string name) : name_(std::move(name)) {}
  ~Tally() { std::printf("torture: %s: %d of %d\n", name_.c_str(), tried_ - lost_, tried_); }
  void count(const std::string& lost) {
    ++tried_;
    if (lost.empty()) return;
    ++lost_;
    ADD_FAILURE() << name_ << ", try " << tried_ << ": " << lost;
  }
  /// Further faults that are known to be survived once the whole is.
  void more(int faults) { tried_ += faults; }

 private:
  std::string name_;
  int tried_ = 0, lost_ = 0;
};

/// Numbers that are the same every time.
class Luck {
 protected:
  double uniform() { return static_cast<double>(random_() >> 11) * 0x1p-53; }
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

 private:
  std::mt19937_64 random_{2026};
};

inline std::vector<std::string> small_training(const std::string& out, int iterations) {
  return {"train",     "tiger",
          "--out",     out,
          "--set",     "algo.iterations=" + std::to_string(iterations),
          "--set",     "optimizer.batch_steps=1000",
          "--set",     "algo.validate_episodes=100",
          "--set",     "algo.baseline=linear",
          "--set",     "problem.horizon=10",
          "--threads", "1",
          "--quiet"};
}

inline std::vector<std::string> small_campaign(const std::string& out) {
  std::vector<std::string> all{
      "reproduce", "fig-discretization", "--quick", "--out",   out,         "--seeds",
      "1",         "--episodes",         "50",      "--quiet", "--threads", "1"};
  for (const char* set : {"algo.iterations=2", "optimizer.batch_steps=300",
                          "algo.validate_episodes=50", "problem.horizon=5"}) {
    all.insert(all.end(), {"--set", set});
  }
  return all;
}

/// The command that a user gives next.
inline std::vector<std::string> next_command(const fs::path& directory, const std::string& out,
                                             const std::vector<std::string>& train) {
  if (!fs::exists(directory / out / "config.toml")) return train;
  return {"resume", out, "--threads", "1", "--quiet"};
}

}  // namespace bpo::cli
