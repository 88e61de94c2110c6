// The machine and the build that a result came from; every result.json records them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace bpo {

struct Machine {
  std::string cpu;              // the model's name, "unknown" where the system does not say
  int cores = 0;                // as many as this process may use
  std::uint64_t memory = 0;     // in bytes
  std::string instruction_set;  // the one this was built for: x86-64-v3
  bool supported = false;       // whether this CPU has it
  std::string compiler, commit;
  std::string flags;   // the compiler's, but for warnings: -O3 -DNDEBUG ...
  std::string mujoco;  // its version; empty without robots
};

Machine this_machine();
/// The program's version, which CMakeLists.txt says.
const char* program_version();

/// A library that the program may do without; whoever calls it registers it.
struct OptionalLibrary {
  std::string name, version;
  bool fine = true;  // whether it is the version that this was built for
};

inline std::vector<OptionalLibrary>& optional_libraries() {
  static std::vector<OptionalLibrary> all;
  return all;
}

struct RegisterLibrary {
  explicit RegisterLibrary(OptionalLibrary library) {
    optional_libraries().push_back(std::move(library));
  }
};

/// What this process may use: the machine's memory or its own limit, whichever is less.
std::uint64_t usable_memory();
/// Refuses, by the name of the option that asks for it, what cannot fit.
void check_memory(double bytes, const std::string& option, const std::string& what);

}  // namespace bpo
