// Runs the built program as a user does, in a directory of its own.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/paths.h"
#include "tests/support/temporary_directory.h"

namespace bpo::cli {

namespace fs = std::filesystem;

inline std::string slurp(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void spill(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

struct Outcome {
  int status = 0;  // 128 + the signal that killed it
  std::string out, err;
  long peak_mb = 0;      // memory, with an emulator's where there is one
  double seconds = 0.0;  // from its start to its end
};

/// This process becomes the program.
[[noreturn]] inline void become_program(const std::vector<std::string>& arguments) {
  std::istringstream emulator(kEmulator);
  std::vector<std::string> words{std::istream_iterator<std::string>(emulator), {}};
  words.push_back(kBinaryPath);
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  ::_exit(99);
}

/// A process that runs beside the test; it is killed at the end if it still runs.
class Process {
 public:
  Process(const fs::path& directory, const std::vector<std::string>& arguments,
          const std::function<void()>& in_child = {})
      : out_(directory / ".out"), err_(directory / ".err") {
    static int count = 0;
    out_ += std::to_string(++count);
    err_ += std::to_string(count);
    pid_ = ::fork();
    if (pid_ != 0) return;
    if (::chdir(directory.c_str()) != 0) ::_exit(99);
    ::dup2(::open(out_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
    ::dup2(::open(err_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
    if (in_child) in_child();
    become_program(arguments);
  }
  Process(const Process&) = delete;
  ~Process() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    wait();
  }

  pid_t pid() const { return pid_; }
  void send(int signal) const { ::kill(pid_, signal); }
  Outcome wait() {
    int status = 0;
    rusage used{};
    ::wait4(pid_, &status, 0, &used);
    pid_ = -1;
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start_;
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), slurp(out_),
            slurp(err_), used.ru_maxrss / 1024, taken.count()};
  }

 private:
  fs::path out_, err_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  pid_t pid_ = -1;
};

class CliTest : public test::TemporaryDirectory {
 protected:
  Outcome run(const std::vector<std::string>& arguments,
              const std::function<void()>& in_child = {}) const {
    return Process(dir_, arguments, in_child).wait();
  }
  nlohmann::json run_json(std::vector<std::string> arguments) const {
    arguments.push_back("--json");
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out, nullptr, false);
  }

  /// `train PROBLEM --out OUT` with settings that take a moment.
  static std::vector<std::string> training(const std::string& problem, const std::string& out,
                                           int iterations,
                                           const std::vector<std::string>& more = {}) {
    std::vector<std::string> all{"train", problem,
                                 "--out", out,
                                 "--set", "algo.iterations=" + std::to_string(iterations),
                                 "--set", "optimizer.batch_steps=1000",
                                 "--set", "algo.validate_episodes=100",
                                 "--set", "algo.baseline=linear"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  /// A training that lasts until somebody stops it: by PPO, for TRPO ends once its policy is
  /// certain.
  static std::vector<std::string> endless(const std::string& out,
                                          const std::vector<std::string>& more = {}) {
    std::vector<std::string> all = training(
        "tiger", out, 1000000, {"--set", "problem.horizon=10", "--set", "optimizer.kind=ppo"});
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  void expect_refused(const std::vector<std::string>& arguments, int status,
                      const std::vector<std::string>& words) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, status) << outcome.err;
    for (const std::string& word : words) {
      EXPECT_NE(outcome.err.find(word), std::string::npos) << word << " is not in " << outcome.err;
    }
  }

  static bool eventually(const std::function<bool()>& holds) {
    using namespace std::chrono_literals;
    for (int i = 0; i < 20000; ++i) {
      if (holds()) return true;
      std::this_thread::sleep_for(1ms);
    }
    return false;
  }

  /// Waits until a checkpoint with at least one iteration is on disk.
  bool has_progressed(const std::string& out) const {
    return eventually([&] {
      std::error_code error;
      const auto size = fs::file_size(dir_ / out / "metrics.jsonl", error);
      return !error && size > 0;
    });
  }

  int metrics_lines(const std::string& out) const {
    const std::string text = slurp(dir_ / out / "metrics.jsonl");
    return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  }

  /// The lines of metrics.jsonl without the values of the clock.
  std::vector<std::string> metrics(const std::string& out) const {
    std::ifstream file(dir_ / out / "metrics.jsonl");
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) {
      auto json = nlohmann::ordered_json::parse(line);
      EXPECT_EQ(json.erase("seconds"), 1u);
      EXPECT_EQ(json.erase("steps_per_s"), 1u);
      lines.push_back(json.dump());
    }
    return lines;
  }
};

}  // namespace bpo::cli
