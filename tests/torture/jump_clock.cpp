// Preloaded into the program: its clocks jump, hours forth and back, by numbers that follow from
// BPO_JUMP_SEED. The monotonic clock only jumps forth, as that of a machine that slept. The file
// BPO_JUMP_TOLD is made at the first jump, so that a test knows that there was one.
#include <dlfcn.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>

namespace {

using Call = int (*)(clockid_t, timespec*);

std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15u;
  return (x ^ (x >> 27)) * 0xbf58476d1ce4e5b9u;
}

std::atomic<std::uint64_t> calls{0};
std::atomic<std::int64_t> slept{0};

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* now) {
  static const Call real = reinterpret_cast<Call>(dlsym(RTLD_NEXT, "clock_gettime"));
  static const std::uint64_t seed =
      std::getenv("BPO_JUMP_SEED") ? std::strtoull(std::getenv("BPO_JUMP_SEED"), nullptr, 10) : 0;
  static const bool told = [] {
    const char* file = std::getenv("BPO_JUMP_TOLD");
    const int made = file == nullptr ? -1 : ::open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    return made >= 0 && ::close(made) == 0;
  }();
  static_cast<void>(told);
  const int status = real(clock, now);
  const std::uint64_t luck = mixed(seed * 1000003 + ++calls);
  if (clock == CLOCK_REALTIME) now->tv_sec += static_cast<std::int64_t>(luck % 20000) - 10000;
  if (clock == CLOCK_MONOTONIC) {
    if (luck % 7 == 0) slept += static_cast<std::int64_t>(luck % 5000);
    now->tv_sec += slept;
  }
  return status;
}
