// The only way in which a thread is started.
#pragma once

#include <functional>
#include <thread>

namespace bpo {

/// Where the system refuses a thread, the result cannot be joined, and the task does not run.
std::thread start_thread(std::function<void()> task);

}  // namespace bpo
