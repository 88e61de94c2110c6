#include "bpo/core/machine.h"

#include <unistd.h>

#include <fstream>

#include "bpo/core/parallel.h"
#include "bpo_commit.h"

namespace bpo {
namespace {

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != line.npos) return line.substr(colon + 2);
  }
  return "unknown";
}

bool cpu_has_what_was_built() {
#ifdef __AVX2__
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi2");
#else
  return true;
#endif
}

std::uint64_t physical_memory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), bytes = ::sysconf(_SC_PAGE_SIZE);
  if (pages <= 0 || bytes <= 0) return 0;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(bytes);
}

}  // namespace

Machine this_machine() {
#ifdef __clang__
  const std::string compiler = "clang " __clang_version__;
#else
  const std::string compiler = "gcc " __VERSION__;
#endif
  return {.cpu = cpu_model(),
          .cores = ThreadPool::available(),
          .memory = physical_memory(),
          .instruction_set = BPO_ARCH,
          .supported = cpu_has_what_was_built(),
          .compiler = compiler,
          .commit = BPO_COMMIT,
          .flags = BPO_COMPILER_FLAGS};
}

}  // namespace bpo
