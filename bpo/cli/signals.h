// SIGINT and SIGTERM ask training to stop after the iteration; a second one kills at once.
#pragma once

#include <atomic>

namespace bpo::cli {

/// Installs the handlers and returns the flag that they set.
const std::atomic<bool>* stop_on_signal();

/// 128 + the signal that came, or 0.
int signal_status();

}  // namespace bpo::cli
