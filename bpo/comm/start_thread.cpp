#include "bpo/comm/start_thread.h"

#include <system_error>
#include <utility>

namespace bpo {

std::thread start_thread(std::function<void()> task) {
  try {
    return std::thread(std::move(task));
  } catch (const std::system_error&) {
    return {};
  }
}

}  // namespace bpo
