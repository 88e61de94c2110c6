// How far runs are, told by their files alone: so also by another machine with the same disk.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bpo {

struct RunStatus {
  enum class State { kFinished, kRunning, kStopped, kDiverged, kUnreadable };

  std::string directory;
  State state = State::kStopped;
  std::string why;  // it diverged or cannot be read
  std::int64_t iteration = 0, iterations = 0;
  double seconds = 0.0, steps_per_s = 0.0;  // training so far, and its speed lately
  double heard = 0.0;                       // seconds since it last wrote
  double mean = 0.0;                        // return, once it is finished

  /// In seconds, at the speed of the training so far; 0 where that is not known.
  double left() const;
};

std::string name_of(RunStatus::State state);

/// All runs in the directories and below; a directory without any is bad_input.
std::vector<RunStatus> status_of_runs(const std::vector<std::string>& directories);

}  // namespace bpo
