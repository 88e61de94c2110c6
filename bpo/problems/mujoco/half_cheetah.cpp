// HalfCheetah (Sec. 5): a planar body with a front and a back leg of three links each, 200 steps of
// .01 s. The first factor scales the front leg and the front half of the torso, the second the
// back. The model is the one behind the paper's figures, not Gym's: other gears, densities, steps.
#include "bpo/problems/mujoco/robots.h"

namespace bpo {
namespace {

struct Limb {
  const char* name;
  int parent;
  Vec3 pos, centre;
  double angle, half, low, high, stiffness, damping, gear;
};

constexpr double kRadius = 0.046;
constexpr std::array<Limb, 6> kLimbs = {{
    {"bthigh", 0, {-.5, 0, 0}, {.1, 0, -.13}, -3.8, .145, -.52, 1.05, 240, 6, 120},
    {"bshin", 1, {.16, 0, -.25}, {-.14, 0, -.07}, -2.03, .15, -.785, .785, 180, 4.5, 75},
    {"bfoot", 2, {-.28, 0, -.14}, {.03, 0, -.097}, -.27, .094, -.4, .785, 120, 3, 45},
    {"fthigh", 0, {.5, 0, 0}, {-.07, 0, -.12}, .52, .133, -1, .7, 180, 4.5, 100},
    {"fshin", 4, {-.14, 0, -.24}, {.065, 0, -.09}, -.6, .106, -1.2, .87, 120, 3, 60},
    {"ffoot", 5, {.13, 0, -.18}, {.045, 0, -.07}, -.6, .07, -.5, .5, 60, 1.5, 30},
}};

/// A capsule turned about y from upright.
Shape turned(const Vec3& centre, double angle, double half) {
  return {.centre = centre,
          .axis = {std::sin(angle), 0.0, std::cos(angle)},
          .radius = kRadius,
          .half = half};
}

}  // namespace

Mechanism HalfCheetah::mechanism(const Factors& p) {
  Mechanism m{.name = kName,
              .settings = R"(
<compiler angle='radian' inertiafromgeom='true'/>
<option timestep='0.002'/>
<default>
  <joint limited='true' armature='.1' damping='.01' stiffness='8' solimplimit='0 .8 .03'
         solreflimit='.02 1'/>
</default>)",
              .surface = {.friction = {.4, .1, .1}, .solimp = {0, .8, .01}}};
  const char* root = "limited='false' armature='0' damping='0' stiffness='0'";
  m.links.push_back({.name = "torso",
                     .pos = {0, 0, .7},
                     .shapes = {capsule({-.5 * p[1], 0, 0}, {.5 * p[0], 0, 0}, kRadius),
                                turned({.6, 0, .1}, .87, .15)},
                     .joints = fmt::format("<joint name='rootx' type='slide' axis='1 0 0' {0}/>"
                                           "<joint name='rootz' type='slide' axis='0 0 1' {0}/>"
                                           "<joint name='rooty' type='hinge' axis='0 1 0' {0}/>",
                                           root)});
  for (const Limb& l : kLimbs) {
    const Link link{
        .name = l.name,
        .parent = l.parent,
        .pos = l.pos,
        .shapes = {turned(l.centre, l.angle, l.half)},
        .joints = fmt::format("<joint name='{}' type='hinge' axis='0 1 0' range='{} {}' "
                              "stiffness='{}' damping='{}'/>",
                              l.name, l.low, l.high, l.stiffness, l.damping)};
    m.links.push_back(scaled(l.name[0] == 'f' ? p[0] : p[1], link));
    m.motors.push_back({l.name, l.gear});
  }
  return m;
}

void HalfCheetah::reset(std::span<double> state, Rng& rng) { disturb(state, kQ, rng); }

namespace {

const RegisterProblem kHalfCheetah{robot_entry<HalfCheetah>(
    "run with legs of unknown size: two factors in [.8, 1.2] (MuJoCo BAMDP)")};

}  // namespace
}  // namespace bpo
