// When to stop: after so many iterations, when asked to, or never before.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

namespace bpo {

struct Budget {
  /// Stops before this iteration, whatever the configuration says.
  std::int64_t iterations = std::numeric_limits<std::int64_t>::max();
  /// Set from a signal handler: finish the iteration, then stop.
  const std::atomic<bool>* stop = nullptr;

  bool interrupted() const { return stop != nullptr && stop->load(std::memory_order_relaxed); }
};

}  // namespace bpo
