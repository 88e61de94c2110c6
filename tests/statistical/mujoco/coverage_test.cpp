// Beliefs of the robots that ship are calibrated: 90 % intervals hold the truth in about 90 % of
// episodes with latents from the prior. The long version is in tests/paper.
#include <gtest/gtest.h>

#include "bpo/problems/mujoco/robot_coverage.h"
#include "tests/cli/process.h"
#include "tests/support/paths.h"

namespace bpo {
namespace {

TEST(Coverage, OfCartPoleByNoisyPositions) {
  const std::string path = std::string(kSourcePath) + "/examples/robots/cart-pole/cart-pole.toml";
  const auto file = calibrated(
      std::make_shared<const RobotFile>(read_robot("cart-pole", cli::slurp(path), path)));
  ASSERT_FALSE(file->sees_state);
  // 150 episodes: the share's standard deviation is at most 2.5 %.
  const Coverage found = coverage(OwnRobot(OwnRobotOptions(file)), {.seed = 77, .episodes = 150});
  for (const double share : found.share) EXPECT_GT(share, 0.78);
  EXPECT_NEAR(found.mean(), 0.9, 0.075);
}

}  // namespace
}  // namespace bpo
