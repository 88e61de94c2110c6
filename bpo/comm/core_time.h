// How a thread or a process spends its time on a core, and how it waits without giving it up.
#pragma once

#include <time.h>

#include <cstdlib>

namespace bpo {

/// Seconds of processor time, in which other programs do not count: CLOCK_PROCESS_CPUTIME_ID or
/// CLOCK_THREAD_CPUTIME_ID.
inline double core_seconds(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Whether BPO_EXCHANGES asks for what exchanges cost. Times are then of the core, in which other
/// programs do not count. Otherwise they are by the clock, which is read without a call of the
/// system; an exchange would make half a dozen of these, and small ones are over sooner.
inline bool costs_are_of_the_core() {
  static const bool asked = std::getenv("BPO_EXCHANGES") != nullptr;
  return asked;
}

inline double cost_seconds(clockid_t clock) {
  return core_seconds(costs_are_of_the_core() ? clock : CLOCK_MONOTONIC);
}

/// Tells the core that this is a loop of waiting, where it has an instruction for that.
inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace bpo
