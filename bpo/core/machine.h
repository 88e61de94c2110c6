// The machine and the build that a result came from; every result.json records them.
#pragma once

#include <cstdint>
#include <string>

namespace bpo {

struct Machine {
  std::string cpu;              // the model's name, "unknown" where the system does not say
  int cores = 0;                // that this process may use
  std::uint64_t memory = 0;     // in bytes
  std::string instruction_set;  // the one this was built for: x86-64-v3
  bool supported = false;       // whether this CPU has it
  std::string compiler, commit;
  std::string flags;  // of the compiler, without warnings: -O3 -DNDEBUG -march=x86-64-v3 ...
};

Machine this_machine();

}  // namespace bpo
