// A short training of each robot ends in the same bits in every build (tests/algorithms/bits_test),
// as long as MuJoCo itself, which compiles the models, is the same.
#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <utility>

#include "tests/support/trained.h"

namespace bpo::test {
namespace {

constexpr int kMujoco = 222;

using Case = std::pair<std::string, std::string>;  // robot, bits
class RobotBits : public testing::TestWithParam<Case> {};

TEST_P(RobotBits, AreTheSameInEveryBuild) {
  const auto& [robot, bits] = GetParam();
  if (!bits_are_known()) GTEST_SKIP() << "only known for x86-64-v3";
  if (mj_version() != kMujoco) GTEST_SKIP() << "only known for MuJoCo " << kMujoco;
  EXPECT_EQ(
      trained_bits(robot, {"problem.horizon=20", "optimizer.batch_steps=80", "algo.iterations=3",
                           "algo.validate_every=3", "algo.validate_episodes=2", "algo.hidden=16"}),
      bits);
}

INSTANTIATE_TEST_SUITE_P(Robots, RobotBits,
                         testing::Values(Case{"half-cheetah", "db4c50e4bad24791"},
                                         Case{"swimmer", "edc7dc5edaf5a86d"},
                                         Case{"ant", "2fcb5a32a8c434d5"}),
                         [](const auto& c) {
                           std::string name = c.param.first;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace bpo::test
