#include "bpo/runs/run_status.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bpo/core/posix.h"
#include "bpo/core/ranks.h"
#include "bpo/runs/result.h"

namespace bpo {
namespace {

constexpr off_t kMetricsTail = 1 << 16;  // bytes, in which the last line of metrics is
constexpr int kDeepest = 6;

/// The end of a file that may have gigabytes; nothing where there is no file.
std::string tail_of(const std::string& path) {
  if (!link_status(path)) return "";
  const FileHandle file = open_plain(path, O_RDONLY);
  const off_t size = status(file, path).st_size;
  std::string text(static_cast<std::size_t>(std::min(size, kMetricsTail)), '\0');
  const ssize_t n = uninterrupted([&] {
    return ::pread(file.get(), text.data(), text.size(), size - static_cast<off_t>(text.size()));
  });
  if (n < 0) throw failed(path, "read", errno);
  text.resize(static_cast<std::size_t>(n));
  return text;
}

/// The last line of metrics that is whole.
void read_metrics(const std::string& directory, RunStatus& out) {
  const std::string path = directory + "/metrics.jsonl";
  out.heard = by_root([&] { return seconds_since_written(path); });
  std::string text = by_root([&] { return tail_of(path); });
  text.resize(text.rfind('\n') == text.npos ? 0 : text.rfind('\n'));
  const auto json = nlohmann::json::parse(text.substr(text.rfind('\n') + 1), nullptr, false);
  if (!json.is_object()) return;
  const auto number = [&](const char* key) {
    const auto value = json.find(key);
    return value != json.end() && value->is_number() ? value->get<double>() : 0.0;
  };
  out.iteration = static_cast<std::int64_t>(number("iteration"));
  out.seconds = number("seconds");
  out.steps_per_s = number("steps_per_s");
}

RunStatus status_of_run(const std::string& directory) {
  using State = RunStatus::State;
  RunStatus out{.directory = directory};
  try {
    Config config = load_config(directory);
    RunIdentity run;
    config.read("run", run);
    out.iterations = solvers().at(run.algorithm).resolve(run.problem, config).solver->iterations();
    read_metrics(directory, out);
    if (const auto why = divergence(directory)) {
      out.state = State::kDiverged;
      out.why = *why;
    } else if (const auto result = stored_result(directory)) {
      out.state = State::kFinished;
      out.mean = result->mean;
    } else if (is_locked(directory)) {
      out.state = State::kRunning;
    }
  } catch (const Error& error) {
    out.state = State::kUnreadable;
    out.why = error.what();
  }
  return out;
}

void find_runs(const std::string& directory, int depth, std::vector<std::string>& out) {
  if (is_run(directory)) return out.push_back(directory);
  if (depth == kDeepest) return;
  for (const std::string& name : names_in(directory)) {
    const std::string path = directory + "/" + name;
    const auto there = link_status(path);
    if (!name.starts_with('.') && there && S_ISDIR(there->st_mode)) find_runs(path, depth + 1, out);
  }
}

}  // namespace

double RunStatus::left() const {
  if (iteration == 0 || state != State::kRunning) return 0.0;
  return seconds / static_cast<double>(iteration) * static_cast<double>(iterations - iteration);
}

std::string name_of(RunStatus::State state) {
  switch (state) {
    case RunStatus::State::kFinished:
      return "finished";
    case RunStatus::State::kRunning:
      return "running";
    case RunStatus::State::kStopped:
      return "stopped";
    case RunStatus::State::kDiverged:
      return "diverged";
    case RunStatus::State::kUnreadable:
      break;
  }
  return "unreadable";
}

std::vector<RunStatus> status_of_runs(const std::vector<std::string>& directories) {
  std::vector<RunStatus> out;
  for (const std::string& directory : directories) {
    std::vector<std::string> runs;
    find_runs(directory, 0, runs);
    if (runs.empty()) throw bad_input(directory + ": there is no run, nor one below it");
    for (const std::string& run : runs) out.push_back(status_of_run(run));
  }
  return out;
}

}  // namespace bpo
