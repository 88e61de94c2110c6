// Ctrl-C during a call that has let the interpreter's lock go: it sets a flag, at which the library
// stops in order. Python's own handler, which nobody would run meanwhile, is put back afterwards.
#pragma once

#include <atomic>
#include <csignal>

#include "python/src/bindings.h"

namespace bpo::python {

/// Made with the lock held; does nothing outside of the main thread.
class StopOnInterrupt {
 public:
  StopOnInterrupt() {
    const py::module_ threading = py::module_::import("threading");
    if (!threading.attr("current_thread")().is(threading.attr("main_thread")())) return;
    asked() = false;
    struct sigaction action = {};
    action.sa_handler = [](int) { asked() = true; };
    action.sa_flags = SA_RESTART;
    installed_ = ::sigaction(SIGINT, &action, &before_) == 0;
  }
  ~StopOnInterrupt() {
    if (installed_) ::sigaction(SIGINT, &before_, nullptr);
  }
  StopOnInterrupt(const StopOnInterrupt&) = delete;
  StopOnInterrupt& operator=(const StopOnInterrupt&) = delete;

  const std::atomic<bool>& flag() const { return installed_ ? asked() : never(); }
  /// Stops what cannot go on for another reason.
  void stop() { (installed_ ? asked() : never()) = true; }
  bool stopped() const { return flag(); }

 private:
  static std::atomic<bool>& asked() {
    static std::atomic<bool> flag{false};
    return flag;
  }
  std::atomic<bool>& never() const { return own_; }

  mutable std::atomic<bool> own_{false};
  bool installed_ = false;
  struct sigaction before_ = {};
};

}  // namespace bpo::python
