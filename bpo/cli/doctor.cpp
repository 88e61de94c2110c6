// `bpo doctor`: what this was built with, what the machine offers, and whether results are the same
// bits for one and two threads.
#include <fmt/format.h>
#include <toml++/impl/version.h>

#include <Eigen/Core>
#include <memory>

#include "bpo/cli/arguments.h"
#include "bpo/cli/print.h"
#include "bpo/cli/verbs.h"
#include "bpo/core/json.h"
#include "bpo/core/machine.h"
#include "bpo/report/table.h"
#include "bpo/runs/benchmark.h"

namespace bpo::cli {
namespace {

std::string version(int major, int minor, int patch) {
  return fmt::format("{}.{}.{}", major, minor, patch);
}

struct Fact {
  std::string name, value;
  bool fine = true;
};

Fact mujoco() {
  for (const OptionalLibrary& library : optional_libraries()) {
    if (library.name == "MuJoCo") return {library.name, library.version, library.fine};
  }
  return {"MuJoCo", "not built in: no robots"};
}

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

int doctor(bool json) {
  Json out = Json::object();
  std::vector<std::vector<std::string>> table;
  bool fine = true;
  for (const Fact& fact : examine()) {
    out[fact.name] = fact.value;
    table.push_back({fact.name, fact.value + (fact.fine ? "" : "  <- problem")});
    fine = fine && fact.fine;
  }
  out["ok"] = fine;
  print(json ? json_text(out) : report::aligned(table));
  if (!fine) throw bad_input("doctor found a problem with this build on this machine");
  return 0;
}

}  // namespace

Verb add_doctor(CLI::App& root) {
  CLI::App* app = root.add_subcommand("doctor", "versions, instruction set, cores, a self-check");
  const auto json = std::make_shared<bool>(false);
  add_json(*app, *json);
  app->footer("Example:\n  bpo doctor");
  return {app, [json] { return doctor(*json); }};
}

}  // namespace bpo::cli
