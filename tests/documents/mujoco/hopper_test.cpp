// The robot of docs/adding-a-problem.md, with a leg to stand on.
#include <gtest/gtest.h>

#include "bpo/problems/mujoco/robot.h"

namespace bpo {
namespace {

#include "documents/hopper.inc"

Mechanism Hopper::mechanism(const Factors& p) {
  Mechanism m{.name = kName, .settings = R"(
<compiler angle='radian' inertiafromgeom='true'/>
<option timestep='0.002'/>)"};
  Link torso{
      .name = "torso", .pos = {0, 0, 1.5}, .shapes = {capsule({0, 0, -.2}, {0, 0, .2}, .05)}};
  torso.joints =
      "<joint name='rootx' type='slide' axis='1 0 0'/>"
      "<joint name='rootz' type='slide' axis='0 0 1'/>"
      "<joint name='rooty' type='hinge' axis='0 1 0'/>";
  m.links.push_back(torso);
  for (int k = 0; k < 3; ++k) {
    Link link{.pos = {0, 0, k == 0 ? -.2 : -.35}, .shapes = {capsule({0, 0, 0}, {0, 0, -.3}, .04)}};
    link = scaled(k < 2 ? p[0] : p[1], link);
    link.name = fmt::format("leg{}", k);
    link.parent = k;
    link.joints = fmt::format("<joint name='j{}' type='hinge' axis='0 1 0' damping='1'/>", k);
    m.links.push_back(link);
    m.motors.push_back({fmt::format("j{}", k), 50.0});
  }
  return m;
}

TEST(Documents, TheHopperMovesAndItsBeliefSharpens) {
  Config config;
  config.set("problem.horizon=20");
  const auto problem = problems().at("hopper").make(config);
  EXPECT_EQ(problem->spec().actions.dim, 3);
  EXPECT_EQ(problem->spec().belief_dim, 25);
  const auto world = problem->make_world();
  Actions actions(3);
  world->reset({1, 0, 2}, LatentSource::kPrior);
  const double before = world->belief_entropy(0);
  while (!world->all_done()) {
    for (float& u : actions.box[0]) u = 0.5f;
    world->step(actions);
  }
  EXPECT_EQ(world->faults(), 0);
  EXPECT_LT(world->belief_entropy(0), before);
}

}  // namespace
}  // namespace bpo
