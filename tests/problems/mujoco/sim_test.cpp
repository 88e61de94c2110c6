// The wrapper around MuJoCo: what goes wrong is said, and a state is all there is to a simulation.
#include "bpo/problems/mujoco/sim.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "bpo/core/error.h"
#include "bpo/core/rng.h"
#include "bpo/problems/mujoco/robots.h"

namespace bpo {
namespace {

std::string refusal(const std::string& mjcf) {
  try {
    Sim sim("crate", mjcf);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kBadInput);
    return e.what();
  }
  return "";
}

TEST(Sim, SaysWhatIsWrongWithAModel) {
  EXPECT_NE(refusal("<mujoco><worldbody><bdy/></worldbody></mujoco>").find("bdy"),
            std::string::npos);
  for (const char* text : {"", "<mujoco", "no xml at all"}) EXPECT_NE(refusal(text), "") << text;
  const std::string weightless =
      "<mujoco><worldbody><body><freejoint/></body></worldbody></mujoco>";
  EXPECT_EQ(refusal(weightless).rfind("crate:1: ", 0), 0u) << refusal(weightless);
}

/// A capsule above the floor; once it lies there it touches in two points.
std::string hovering(const std::string& size) {
  return "<mujoco><size " + size +
         "/><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 1'><freejoint/>"
         "<geom type='capsule' size='.1 .3' zaxis='1 0 0'/></body></worldbody></mujoco>";
}

TEST(Sim, MujocosErrorsAndFullBuffersAreExceptions) {
  std::vector<double> state{0, 0, .09, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  Sim good("crate", hovering("nconmax='4' njmax='20'"));
  EXPECT_TRUE(good.advance(state, {}, 5));
  if (mj_version() >= 300) {  // since 3.0 there is one memory for all of it
    Sim small("crate", hovering("memory='4K'"));
    EXPECT_THROW(small.advance(state, {}, 1), Error);
    EXPECT_THROW(small.advance(state, {}, 1), Error) << "and again";
    return;
  }
  Sim few_contacts("crate", hovering("nconmax='1' njmax='20'"));
  EXPECT_THROW(few_contacts.advance(state, {}, 1), Error);
  Sim few_constraints("crate", hovering("nconmax='4' njmax='3'"));
  EXPECT_THROW(few_constraints.advance(state, {}, 1), Error);
  Sim no_stack("crate", hovering("nconmax='4' njmax='20' nstack='150'"));
  EXPECT_THROW(no_stack.advance(state, {}, 1), Error);
  EXPECT_THROW(no_stack.advance(state, {}, 1), Error) << "and again";
}

TEST(Sim, MovesByEulersMethodOnlyWhenAsked) {
  const std::string by_runge = to_mjcf(Ant::mechanism({1, 1}));
  std::string by_euler = by_runge;
  by_euler.replace(by_euler.find("RK4"), 3, "Euler");
  Sim runge("ant", by_runge), euler("ant", by_euler);
  std::vector<double> start(runge.model().qpos0, runge.model().qpos0 + Ant::kQ);
  start.resize(Ant::kQ + Ant::kV, 0.3);
  const std::array<float, Ant::kU> controls{.5f, -.5f};
  auto exact = start, asked = start, known = start, again = start;
  ASSERT_TRUE(runge.advance(exact, controls, 5));
  ASSERT_TRUE(runge.advance(asked, controls, 5, /*euler=*/true));
  ASSERT_TRUE(euler.advance(known, controls, 5));
  ASSERT_TRUE(runge.advance(again, controls, 5));
  EXPECT_EQ(asked, known);
  EXPECT_EQ(again, exact);
  EXPECT_NE(asked, exact);
}

TEST(Sim, AnUnstableSimulationIsReportedAndLeavesTheState) {
  Sim sim("half-cheetah", to_mjcf(HalfCheetah::mechanism({1, 1})));
  std::array<float, 6> quiet{};
  std::vector<double> calm(18, 0.0);
  ASSERT_TRUE(sim.advance(calm, quiet, 5));
  for (double wild : {1e9, 1e11, std::nan(""), HUGE_VAL}) {
    std::vector<double> state(18, 0.0);
    state[12] = wild;
    const std::vector<double> before = state;
    EXPECT_FALSE(sim.advance(state, quiet, 5)) << wild;
    for (std::size_t i = 0; i < state.size(); ++i) {
      EXPECT_TRUE(state[i] == before[i] || std::isnan(before[i]));
    }
    std::vector<double> again(18, 0.0);  // nothing of it is left
    ASSERT_TRUE(sim.advance(again, quiet, 5));
    EXPECT_EQ(again, calm);
  }
  std::vector<double> state(18, 0.0);
  quiet[2] = std::nanf("");
  EXPECT_FALSE(sim.advance(state, quiet, 5));
  EXPECT_FALSE(std::filesystem::exists("MUJOCO_LOG.TXT"));
}

// In vacuum and without limits nothing acts on the swimmer but itself.
TEST(Sim, ConservesEnergyAndMomentum) {
  Mechanism free = Swimmer::mechanism({0.9, 1.15});
  free.settings = "<compiler angle='radian'/><option timestep='0.0005'/>";
  Sim vacuum("swimmer", to_mjcf(free));
  std::vector<double> state{0, 0, 0, .3, -.2, .4, .1, .5, -.3, .8, 1.0, -1.5, .7, .6};
  const std::array<float, 4> quiet{};
  mjData* d = mj_makeData(&vacuum.model());
  const auto measured = [&] {
    std::copy_n(state.data(), 7, d->qpos);
    std::copy_n(state.data() + 7, 7, d->qvel);
    mj_forward(&vacuum.model(), d);
    std::array<mjtNum, 7> momentum;
    mj_mulM(&vacuum.model(), d, momentum.data(), d->qvel);
    mj_subtreeVel(&vacuum.model(), d);
    return std::array{mju_dot(momentum.data(), d->qvel, 7), d->subtree_linvel[3],
                      d->subtree_linvel[4], d->subtree_angmom[5]};
  };
  const auto before = measured();
  for (int i = 0; i < 400; ++i) ASSERT_TRUE(vacuum.advance(state, quiet, 1));
  const auto after = measured();
  mj_deleteData(d);
  EXPECT_GT(std::abs(state[3] - .3), .05) << "it did not move";
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(after[i], before[i], 1e-3 * std::abs(before[0])) << i;
}

}  // namespace
}  // namespace bpo
