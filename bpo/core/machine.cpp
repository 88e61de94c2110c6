#include "bpo/core/machine.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "bpo/core/error.h"
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

const char* program_version() { return BPO_VERSION; }

std::uint64_t usable_memory() {
  std::uint64_t least = physical_memory();
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    least = least == 0 ? limit.rlim_cur : std::min<std::uint64_t>(least, limit.rlim_cur);
  }
  return least;
}

void check_memory(double bytes, const std::string& option, const std::string& what) {
  const auto usable = static_cast<double>(usable_memory());
  if (usable == 0.0 || bytes <= usable) return;
  throw bad_input(
      fmt::format("{}: {} would take about {:.1f} GB, and there are {:.1f} GB; make it "
                  "smaller{}",
                  option, what, bytes / 1e9, usable / 1e9,
                  option.starts_with("problem.") ? " or use fewer threads" : ""));
}

Machine this_machine() {
  std::string mujoco;
  for (const OptionalLibrary& library : optional_libraries()) {
    if (library.name == "MuJoCo") mujoco = library.version;
  }
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
          .flags = BPO_COMPILER_FLAGS,
          .mujoco = mujoco};
}

}  // namespace bpo
