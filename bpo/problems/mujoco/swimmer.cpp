// Swimmer (Sec. 5): a torso and four links in a chain, in water, 200 steps of .025 s; it swims
// towards -x, head first. The first factor scales links 1 and 2, the second links 3 and 4. A link's
// offset is scaled by its own factor, not by its parent's, so scaled links do not quite meet: so it
// is in the model behind the paper's figures.
#include <numbers>

#include "bpo/problems/mujoco/robots.h"

namespace bpo {

Mechanism Swimmer::mechanism(const Factors& p) {
  Mechanism m{.name = kName,
              .settings = R"(
<compiler angle='radian' inertiafromgeom='true'/>
<option timestep='0.005' density='1000' viscosity='0.000894'/>)",
              .contacts = Contacts::kLinks};
  const auto link = [](double radius) {
    return Link{.pos = {.3, 0, 0}, .shapes = {capsule({0, 0, 0}, {.3, 0, 0}, radius)}};
  };
  Link torso = link(.07);
  torso.name = "torso";
  torso.pos = {0, 0, .03};
  torso.joints =
      "<joint name='rootx' type='slide' axis='1 0 0'/>"
      "<joint name='rooty' type='slide' axis='0 1 0'/>"
      "<joint name='rootz' type='hinge' axis='0 0 1'/>";
  m.links.push_back(torso);
  for (int k = 1; k <= 4; ++k) {
    Link body = scaled(k <= 2 ? p[0] : p[1], link(.07 - .005 * k));
    body.name = fmt::format("body{}", k);
    body.parent = k - 1;
    body.joints = fmt::format(
        "<joint name='j{}' type='hinge' axis='0 0 1' limited='true' range='-1.5 1.5'/>", k);
    m.links.push_back(body);
    m.motors.push_back({fmt::format("j{}", k), 20.0});
  }
  return m;
}

void Swimmer::reset(std::span<double> state, Rng& rng) {
  state[2] = std::numbers::pi * (2.0 * rng.uniform() - 1.0);
}

namespace {

const RegisterProblem kSwimmer{robot_entry<Swimmer>(
    "swim with links of unknown size: two factors in [.8, 1.2] (MuJoCo BAMDP)")};

}  // namespace
}  // namespace bpo
