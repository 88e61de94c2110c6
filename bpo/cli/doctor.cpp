// `bpo doctor`: what this was built with, what the machine offers, and whether results are the same
// bits for one and two threads.
#include <fmt/format.h>
#ifdef BPO_MUJOCO
#include <mujoco/mujoco.h>
#endif
#include <toml++/impl/version.h>

#include <Eigen/Core>
#include <memory>

#include "bpo/algorithms/train.h"
#include "bpo/cli/arguments.h"
#include "bpo/cli/result.h"
#include "bpo/cli/verbs.h"
#include "bpo/report/table.h"

namespace bpo::cli {
namespace {

std::string version(int major, int minor, int patch) {
  return fmt::format("{}.{}.{}", major, minor, patch);
}

std::vector<float> tiny_training(int threads) {
  Config config;
  for (const char* set : {"optimizer.batch_steps=2000", "algo.iterations=3",
                          "algo.validate_episodes=200", "problem.horizon=20"}) {
    config.set(set);
  }
  ThreadPool pool(threads);
  const TrainSetup setup = make_setup("tiger", "bpo", config);
  Trainer trainer(*setup.problem, setup.method, setup.train, setup.optimizer, 0, pool);
  while (!trainer.finished()) trainer.iterate();
  return trainer.state().theta;
}

struct Finding {
  std::string name, value;
  bool fine = true;
};

Finding mujoco() {
#ifdef BPO_MUJOCO
  const std::string found = mj_versionString();
  if (mj_version() == mjVERSION_HEADER) return {"MuJoCo", found};
  return {"MuJoCo", fmt::format("{}, but built for version {}", found, mjVERSION_HEADER), false};
#else
  return {"MuJoCo", "not built in: no robots"};
#endif
}

std::vector<Finding> examine() {
  const Machine machine = this_machine();
  const bool reproducible = tiny_training(1) == tiny_training(2);
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
  for (const Finding& finding : examine()) {
    out[finding.name] = finding.value;
    table.push_back({finding.name, finding.value + (finding.fine ? "" : "  <- problem")});
    fine = fine && finding.fine;
  }
  out["ok"] = fine;
  fmt::print("{}", json ? out.dump(2) + "\n" : report::aligned(table));
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
