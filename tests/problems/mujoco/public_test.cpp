// Tasks that others publish: Gymnasium's own models with the uncertainty sets of RRLS load, are
// checked and train. The models come from PyPI when the test runs, and are kept beside the program.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/cli/process.h"
#include "tests/support/paths.h"

namespace bpo {
namespace {

struct Task {
  const char *model, *name;
  double friction[2];
  struct {
    const char* body;
    double low, high;
  } masses[2];
};

const Task kTasks[] = {
    {"hopper", "Hopper", {0.1, 3}, {{"torso", 0.1, 3}, {"thigh", 0.1, 4}}},
    {"walker2d", "Walker2d", {0.1, 4}, {{"torso", 0.1, 5}, {"thigh", 0.1, 6}}},
    {"half_cheetah", "HalfCheetah", {0.1, 4}, {{"torso", 0.1, 7}, {"bthigh", 0.1, 3}}},
};

std::string robot_file(const Task& task) {
  std::string out = fmt::format(R"(schema = 1
[robot]
mjcf = "{}.xml"
frame_skip = 5
horizon = 5
reset = {{ qpos_noise = 0.005, qvel_noise = 0.005 }}
[observe]
terms = ["qpos[1:]", "qvel"]
[reward]
forward = {{ body = "torso", axis = "x", weight = 1.0 }}
control = {{ weight = -0.001 }}
[filter]
sigma = 0.3
[[latent]]
name = "friction"
edit = "friction"
of = ["re:.*"]
op = "set"
prior = {{ uniform = [{}, {}] }}
bins = 2
)",
                                task.model, task.friction[0], task.friction[1]);
  for (const auto& mass : task.masses) {
    out += fmt::format(
        "[[latent]]\nname = \"{0}\"\nedit = \"mass\"\nof = [\"{0}\"]\nop = \"set\"\n"
        "prior = {{ uniform = [{1}, {2}] }}\nbins = 2\n",
        mass.body, mass.low, mass.high);
  }
  return out;
}

class PublicTasks : public cli::CliTest, public testing::WithParamInterface<Task> {
 protected:
  /// The folder of Gymnasium's models; empty if it cannot be had.
  static std::string models() {
    const cli::fs::path folder = cli::fs::path(kBinaryPath).parent_path() / "gymnasium";
    const std::string assets = (folder / "gymnasium/envs/mujoco/assets").string();
    if (cli::fs::exists(assets)) return assets;
    cli::fs::create_directories(folder);
    const std::string command = fmt::format(
        "cd '{}' && {{ [ -x venv/bin/pip ] || python3 -m venv venv; }} && "
        "timeout 60 venv/bin/pip download -q --no-deps --retries 0 --timeout 10 -d wheel gymnasium "
        "&& venv/bin/python -m zipfile -e wheel/*.whl .",
        folder.string());
    return std::system(fmt::format("({}) > '{}/log' 2>&1", command, folder.string()).c_str()) == 0
               ? assets
               : "";
  }
};

TEST_P(PublicTasks, LoadAreCheckedAndTrain) {
  const std::string folder = models();
  if (folder.empty()) GTEST_SKIP() << "Gymnasium's models cannot be fetched from PyPI";
  const Task& task = GetParam();
  const std::string model = fmt::format("{}.xml", task.model);
  cli::fs::copy_file(cli::fs::path(folder) / model, path(model));
  cli::spill(path("task.toml"), robot_file(task));
  const auto found = run_json({"check", "task.toml"});
  EXPECT_TRUE(found["ok"].get<bool>()) << found.dump(1);
  for (const auto& mass : task.masses) {
    EXPECT_GT(found["latents"][mass.body]["effect"].get<double>(), 1e-3) << mass.body;
  }
  const cli::Outcome trained =
      run({"train", "task.toml", "--out", "run", "--set", "algo.iterations=2", "--set",
           "optimizer.batch_steps=200", "--set", "algo.validate_episodes=4"});
  ASSERT_EQ(trained.status, 0) << trained.err;
  const auto result = run_json({"eval", "run", "--episodes", "4"});
  EXPECT_EQ(result["faults"], 0);
}

INSTANTIATE_TEST_SUITE_P(All, PublicTasks, testing::ValuesIn(kTasks),
                         [](const auto& p) { return p.param.name; });

}  // namespace
}  // namespace bpo
