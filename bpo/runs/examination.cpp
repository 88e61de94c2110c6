#include "bpo/runs/examination.h"

#include <expat.h>
#include <fmt/format.h>
#include <toml++/impl/version.h>

#include <CLI/Version.hpp>
#include <Eigen/Core>

#include "bpo/core/json.h"
#include "bpo/core/machine.h"
#include "bpo/runs/benchmark.h"

namespace bpo {
namespace {

std::string version(int major, int minor, int patch) {
  return fmt::format("{}.{}.{}", major, minor, patch);
}

Fact mujoco() {
  for (const OptionalLibrary& library : optional_libraries()) {
    if (library.name == "MuJoCo") return {library.name, library.version, library.fine};
  }
  return {"MuJoCo", "not built in: no robots"};
}

}  // namespace

std::vector<Fact> examine() {
  const Machine machine = this_machine();
  const bool reproducible = threads_agree();
  return {
      {"commit", machine.commit},
      {"compiler", machine.compiler},
      {"compiler flags", machine.flags},
      {"Eigen", version(EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION)},
      {"fmt", version(FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
      {"toml++", version(TOML_LIB_MAJOR, TOML_LIB_MINOR, TOML_LIB_PATCH)},
      {"json", version(NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
                       NLOHMANN_JSON_VERSION_PATCH)},
      {"CLI11", CLI11_VERSION},
      {"expat", version(XML_MAJOR_VERSION, XML_MINOR_VERSION, XML_MICRO_VERSION)},
      mujoco(),
      {"instruction set",
       machine.instruction_set +
           (machine.supported ? " (this CPU has it)" : " (this CPU lacks it)"),
       machine.supported},
      {"CPU", machine.cpu},
      {"cores", fmt::to_string(machine.cores)},
      {"memory", fmt::format("{:.1f} GiB", static_cast<double>(machine.memory) / (1 << 30))},
      {"self-check",
       reproducible ? "1 and 2 threads train to the same bits"
                    : "1 and 2 threads train to different bits",
       reproducible},
  };
}

}  // namespace bpo
