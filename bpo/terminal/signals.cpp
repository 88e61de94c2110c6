#include "bpo/terminal/signals.h"

#include <sys/time.h>

#include <algorithm>
#include <csignal>

namespace bpo::terminal {
namespace {

std::atomic<bool> asked_to_stop{false};
std::atomic<int> received{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

void on_signal(int number) {
  received = number;
  asked_to_stop = true;
  if (number == SIGALRM) return;
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

void stop_after(double seconds) {
  std::signal(SIGALRM, on_signal);
  const auto whole = static_cast<time_t>(seconds);
  const auto rest = static_cast<suseconds_t>(1e6 * (seconds - static_cast<double>(whole)));
  const itimerval timer{{}, {whole, std::max<suseconds_t>(1, rest)}};
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

int signal_status() {
  if (received == SIGALRM) return kTimeIsUp;
  return received == 0 ? 0 : 128 + received;
}

}  // namespace bpo::terminal
