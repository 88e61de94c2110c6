#include "bpo/runs/diagnosis.h"

#include <fmt/format.h>
#ifdef BPO_MUJOCO
#include <mujoco/mujoco.h>
#endif
#include <toml++/impl/version.h>

#include <CLI/Version.hpp>
#include <Eigen/Core>
#include <nlohmann/json.hpp>

#include "bpo/core/machine.h"
#include "bpo/runs/benchmark.h"

namespace bpo {
namespace {

std::string version(int major, int minor, int patch) {
  return fmt::format("{}.{}.{}", major, minor, patch);
}

Fact mujoco() {
#ifdef BPO_MUJOCO
  const std::string found = mj_versionString();
  if (mj_version() == mjVERSION_HEADER) return {"MuJoCo", found};
  return {"MuJoCo", fmt::format("{}, but built for version {}", found, mjVERSION_HEADER), false};
#else
  return {"MuJoCo", "not built in: no robots"};
#endif
}

}  // namespace

std::vector<Fact> diagnose() {
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
