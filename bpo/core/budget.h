// When to stop: after so much work, when bounds are near enough, when asked to, or never before.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

namespace bpo {

/// What ends a solution before it is finished; it can be continued from there.
struct Budget {
  /// Stops before this iteration, whatever the configuration says.
  std::int64_t iterations = std::numeric_limits<std::int64_t>::max();
  /// Steps of the simulation in all; the iteration that exceeds them is the last.
  std::int64_t steps = std::numeric_limits<std::int64_t>::max();
  /// Seconds that this call may take; one iteration is made however few they are.
  double seconds = std::numeric_limits<double>::infinity();
  /// The gap between the bounds of a solver that has some ("gap" of its metrics).
  double gap = 0.0;
  /// Set from a signal handler: finish the iteration, then stop.
  const std::atomic<bool>* stop = nullptr;

  bool interrupted() const { return stop != nullptr && stop->load(std::memory_order_relaxed); }
};

}  // namespace bpo
