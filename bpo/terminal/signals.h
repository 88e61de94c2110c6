// SIGINT and SIGTERM ask training to stop after the iteration; a second one kills at once.
#pragma once

#include <atomic>

namespace bpo::terminal {

/// Installs the handlers and returns the flag that they set.
const std::atomic<bool>* stop_on_signal();

/// The same flag is set after so many seconds, and the exit status is then kTimeIsUp.
void stop_after(double seconds);
inline constexpr int kTimeIsUp = 75;

/// 128 + the signal that came, kTimeIsUp, or 0.
int signal_status();

}  // namespace bpo::terminal
