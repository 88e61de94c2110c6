#include "bpo/terminal/signals.h"

#include <chrono>
#include <csignal>
#include <thread>

#include "bpo/comm/start_thread.h"
#include "bpo/core/error.h"

namespace bpo::terminal {
namespace {

std::atomic<bool> asked_to_stop{false};
std::atomic<int> received{0};
constexpr int kTimeOut = -1;  // in place of a signal's number
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

// A thread rather than an alarm: whoever started us may have blocked that signal.
void stop_after(double seconds) {
  std::thread clock = start_thread([seconds] {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    int none = 0;
    received.compare_exchange_strong(none, kTimeOut);
    asked_to_stop = true;
  });
  if (!clock.joinable()) throw io_error("no thread can be started that ends the run in time");
  clock.detach();
}

int signal_status() {
  if (received == kTimeOut) return kTimeIsUp;
  return received == 0 ? 0 : 128 + received;
}

}  // namespace bpo::terminal
