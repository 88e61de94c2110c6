// Calibration: over 500 latents drawn from the prior, 90 % intervals hold the truth in 85 to 95 %
// of episodes, for every robot that ships, for each latent alone.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "bpo/problems/mujoco/robot_coverage.h"
#include "tests/cli/process.h"
#include "tests/support/paths.h"

namespace bpo {
namespace {

const std::string kRobots = std::string(kSourcePath) + "/examples/robots";

class Coverages : public testing::TestWithParam<const char*> {};

TEST_P(Coverages, AreWhatTheIntervalsSay) {
  const std::string name = GetParam(), path = kRobots + "/" + name + "/" + name + ".toml";
  const auto file =
      calibrated(std::make_shared<const RobotFile>(read_robot(name, cli::slurp(path), path)));
  const Coverage found = coverage(OwnRobot(OwnRobotOptions(file)), {.seed = 500});
  fmt::print("{}: mean {:.1f} %", name, 100.0 * found.mean());
  for (std::size_t f = 0; f < found.share.size(); ++f) {
    fmt::print(", {} {:.1f}", file->latents[f].name, 100.0 * found.share[f]);
    // 500 episodes: the share's own standard deviation is 1.3 % at 90 %, so that a belief that is
    // right leaves these limits about once in 5,000 latents.
    EXPECT_NEAR(found.share[f], 0.9, 0.05) << file->latents[f].name;
  }
  fmt::print("\n");
  EXPECT_NEAR(found.mean(), 0.9, 0.05);
}

INSTANTIATE_TEST_SUITE_P(Robots, Coverages,
                         testing::Values("arm", "cart-pole", "hopper", "quadruped", "walker"),
                         [](const auto& robot) {
                           std::string out = robot.param;
                           std::replace(out.begin(), out.end(), '-', '_');
                           return out;
                         });

TEST(Coverages, AreMeasuredForEveryRobotThatShips) {
  namespace fs = std::filesystem;
  const auto folders = std::count_if(fs::directory_iterator(kRobots), fs::directory_iterator(),
                                     [](const auto& f) { return f.is_directory(); });
  EXPECT_EQ(folders, 5);
}

}  // namespace
}  // namespace bpo
