// The example's hopper: lanes and MuJoCo move it alike, and its cells share what they can.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "bpo/filters/model_grid.h"
#include "bpo/problems/mujoco/own_robot.h"
#include "bpo/problems/mujoco/robot_file.h"
#include "tests/cli/process.h"
#include "tests/support/paths.h"

namespace bpo {
namespace {

// What the documents claim; since version 3 MuJoCo's own solver is not that exact.
constexpr double kApart = mjVERSION_HEADER < 300 ? 1e-11 : 1e-4;

TEST(Hopper, MovesOnLanesAsByMujocoWhateverItsLatents) {
  const std::string path = std::string(kSourcePath) + "/examples/robots/hopper/hopper.toml";
  std::string text = cli::slurp(path);
  text.replace(text.find("sigma = \"auto\""), 14, "sigma = 0.1");
  text += R"(
[[latent]]
edit = "damping"
of = ["knee"]
prior = { uniform = [0.5, 2.0] }
bins = 1
[[latent]]
edit = "gravity"
prior = { uniform = [0.9, 1.1] }
bins = 1
[[latent]]
edit = "armature"
of = ["hip"]
prior = { uniform = [0.5, 2.0] }
bins = 1
)";
  OwnRobotOptions options{std::make_shared<const RobotFile>(read_robot("hopper", text, path))};
  options.horizon = 400;
  const OwnRobot lanes(options);
  options.simulator = "mujoco";
  const OwnRobot mujoco(options);
  ASSERT_TRUE(lanes.on_lanes());
  int touching = 0;
  for (std::uint64_t e = 0; e < 6; ++e) {
    Rng latent(4, Use::kLatent, e), rng(4, Use::kState, e);
    const OwnRobot::Latent phi = lanes.sample_latent(latent);
    ASSERT_FALSE(phi.numbers.empty());
    OwnRobot::State s = lanes.sample_state(phi, rng);
    for (int t = 0; t < 80; ++t) {
      std::vector<float> a(3);
      for (float& u : a) u = static_cast<float>(0.5 * rng.normal());
      OwnRobot::State other = s;
      const double before = s.x[7];
      const StepResult one = lanes.step(s, phi, a, rng), two = mujoco.step(other, phi, a, rng);
      ASSERT_FALSE(one.fault || two.fault);
      EXPECT_NEAR(one.reward, two.reward, 1e3 * kApart);  // it divides by the time of a step
      for (std::size_t i = 0; i < s.x.size(); ++i) ASSERT_NEAR(s.x[i], other.x[i], kApart) << t;
      touching += s.x[7] - before > -0.07;  // it does not fall freely
      if (one.done) break;
    }
  }
  EXPECT_GT(touching, 100);
}

/// In the air friction does nothing: cells that differ in it alone are simulated once.
TEST(Hopper, CellsThatDifferInFrictionAreTwinsUntilItTouchesTheFloor) {
  const std::string path = std::string(kSourcePath) + "/examples/robots/hopper/hopper.toml";
  std::string text = cli::slurp(path);
  text.replace(text.find("sigma = \"auto\""), 14, "sigma = 0.5");
  text.replace(text.find("every = 8"), 9, "every = 1");
  const OwnRobot robot(
      OwnRobotOptions(std::make_shared<const RobotFile>(read_robot("hopper", text, path))));
  ASSERT_EQ(robot.twins(37).size(), 3u);
  const std::vector<float> a{0.3f, -0.4f, 0.2f};
  int flying = 0, standing = 0;
  for (std::uint64_t e = 0; e < 20; ++e) {
    Rng rng(6, Use::kState, e);
    const OwnRobot::Latent phi = robot.sample_latent(rng);
    OwnRobot::State s = robot.sample_state(phi, rng);
    s.x[1] += 0.03 * static_cast<double>(e % 4) - 0.02;
    s.x[6] = 0.5;  // it slides where it stands
    const auto o = robot.reading(s, phi);
    robot.step(s, phi, a, rng);
    const auto next = robot.reading(s, phi);
    std::vector<ModelQuery<OwnRobot>> queries;
    for (const int cell : robot.twins(37)) queries.push_back({cell, &o, a, &next});
    std::array<double, 3> found{};
    std::array<bool, 3> alike{};
    robot.log_likelihoods(queries, found, alike);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(alike[k], alike[0]);
      if (!alike[0]) continue;
      EXPECT_EQ(found[k], found[0]) << "not the same bits";
    }
    ++(alike[0] ? flying : standing);
    EXPECT_EQ(found[0] == found[2], alike[0]);
  }
  EXPECT_GT(flying, 4);
  EXPECT_GT(standing, 4);

  // And the filter's belief is that of one that asks for every cell.
  const ModelGridFilter<OwnRobot> filter(robot, 0.0);
  auto w = filter.make_weights();
  filter.reset(w);
  Rng rng(7, Use::kState, 0);
  const OwnRobot::Latent phi = robot.sample_latent(rng);
  OwnRobot::State s = robot.sample_state(phi, rng);
  s.x[1] += 0.2;
  const int cells = robot.cells();
  std::vector<double> sum(static_cast<std::size_t>(cells), 0.0);
  for (int t = 0; t < 30; ++t) {
    const auto o = robot.reading(s, phi);
    robot.step(s, phi, a, rng);
    const auto next = robot.reading(s, phi);
    filter.update(w, o, a, next);
    for (int c = 0; c < cells; ++c) {
      const ModelQuery<OwnRobot> query{c, &o, a, &next};
      double l = 0.0;
      robot.log_likelihoods({&query, 1}, {&l, 1});
      sum[static_cast<std::size_t>(c)] += LogWeights::quantize(l);
    }
  }
  const double top = *std::max_element(sum.begin(), sum.end());
  for (std::size_t c = 0; c < sum.size(); ++c) EXPECT_EQ(w.bound[c], sum[c] - top) << c;
  EXPECT_LT(w.simulations, 30 * cells * 4 / 5);
}

/// A cell that was out of reach catches up on steps of long before, each with where it led.
TEST(Hopper, ABoundedBeliefThatLooksAtEveryEighthStepIsTheFullPosterior) {
  const std::string path = std::string(kSourcePath) + "/examples/robots/hopper/hopper.toml";
  std::string text = cli::slurp(path);
  text.replace(text.find("sigma = \"auto\""), 14, "sigma = 0.02");
  const OwnRobot robot(
      OwnRobotOptions(std::make_shared<const RobotFile>(read_robot("hopper", text, path))));
  ASSERT_EQ(robot.every(), 8);
  const ModelGridFilter<OwnRobot> bounded(robot), full(robot, 0.0);
  std::vector<float> a(3), some(static_cast<std::size_t>(robot.cells())), all(some.size());
  for (std::uint64_t e = 0; e < 50; ++e) {
    Rng latent(1, Use::kLatent, e), state(1, Use::kState, e), action(1, Use::kAction, e);
    const OwnRobot::Latent phi = robot.sample_latent(latent);
    OwnRobot::State s = robot.sample_state(phi, state);
    auto w = bounded.make_weights(), v = full.make_weights();
    bounded.reset(w);
    full.reset(v);
    OwnRobot::Observation o = robot.observe(s, phi, state);
    for (bool done = false; !done;) {
      for (float& u : a) u = static_cast<float>(action.normal());
      done = robot.step(s, phi, a, state).done;
      OwnRobot::Observation next = robot.observe(s, phi, state);
      bounded.update(w, o, a, next);
      full.update(v, o, a, next);
      o = std::move(next);
      bounded.belief(w, some);
      full.belief(v, all);
      double apart = 0.0;
      for (std::size_t c = 0; c < some.size(); ++c) apart += std::abs(some[c] - all[c]);
      ASSERT_LT(apart, 0.02) << "episode " << e;  // 1e-3, and the grain of what is told
    }
  }
}

}  // namespace
}  // namespace bpo
