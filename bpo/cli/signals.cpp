#include "bpo/cli/signals.h"

#include <csignal>

namespace bpo::cli {
namespace {

std::atomic<bool> asked_to_stop{false};
std::atomic<int> received{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

void on_signal(int number) {
  received = number;
  asked_to_stop = true;
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

}  // namespace

const std::atomic<bool>* stop_on_signal() {
  for (const int number : {SIGINT, SIGTERM}) {
    struct sigaction action = {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    ::sigaction(number, &action, nullptr);
  }
  return &asked_to_stop;
}

int signal_status() { return received == 0 ? 0 : 128 + received; }

}  // namespace bpo::cli
