// Ant (Sec. 5): a ball with four legs of three links each, 200 steps of .025 s. The first factor
// scales the front left leg, the second the front right one. It starts with straight legs, outside
// the range of its ankles, and never ends early.
#include "bpo/problems/mujoco/robots.h"

namespace bpo {
namespace {

struct Leg {
  const char* name;
  double x, y;        // the direction in which it points
  const char* ankle;  // axis
  double low, high;   // the ankle's limits, in degrees
};

constexpr std::array<Leg, 4> kLegs = {{{"front_left", 1, 1, "-1 1 0", 30, 70},
                                       {"front_right", -1, 1, "1 1 0", -70, -30},
                                       {"back", -1, -1, "-1 1 0", -70, -30},
                                       {"right_back", 1, -1, "1 1 0", 30, 70}}};

}  // namespace

Mechanism Ant::mechanism(const Factors& p) {
  Mechanism m{.name = kName,
              .settings = R"(
<compiler angle='degree' inertiafromgeom='true'/>
<option timestep='0.005' integrator='RK4'/>
<default>
  <joint limited='true' armature='1' damping='1'/>
</default>)",
              .surface = {.friction = {1, .5, .5}, .margin = .01}};
  m.links.push_back({.name = "torso",
                     .pos = {0, 0, .75},
                     .shapes = {{.radius = .25, .sphere = true}},
                     .joints = "<joint name='root' type='free' limited='false' armature='0' "
                               "damping='0' margin='.01'/>"});
  for (std::size_t k = 0; k < kLegs.size(); ++k) {
    const Leg& leg = kLegs[k];
    const double scale = k < p.size() ? p[k] : 1.0;
    const Vec3 step{.2 * leg.x, .2 * leg.y, 0};
    const int first = static_cast<int>(m.links.size());
    const auto add = [&](const char* part, int parent, const Vec3& pos, double length,
                         const std::string& joint) {
      m.links.push_back(scaled(scale, {.name = fmt::format("{}{}", leg.name, part),
                                       .parent = parent,
                                       .pos = pos,
                                       .shapes = {capsule({}, length * step, .08)},
                                       .joints = joint}));
    };
    add("", 0, {}, 1.0, "");
    add("_hip", first, step, 1.0,
        fmt::format("<joint name='hip{}' type='hinge' axis='0 0 1' range='-30 30'/>", k + 1));
    add("_ankle", first + 1, step, 2.0,
        fmt::format("<joint name='ankle{}' type='hinge' axis='{}' range='{} {}'/>", k + 1,
                    leg.ankle, leg.low, leg.high));
  }
  for (int leg : {4, 1, 2, 3}) {
    m.motors.push_back({fmt::format("hip{}", leg), 400.0});
    m.motors.push_back({fmt::format("ankle{}", leg), 400.0});
  }
  return m;
}

void Ant::reset(std::span<double> state, Rng& rng) {
  disturb(state, kQ, rng);
  mju_normalize4(state.data() + 3);  // as MuJoCo itself does before it moves
}

namespace {

const RegisterProblem kAnt{
    robot_entry<Ant>("walk on legs of unknown size: two factors in [.8, 1.2] (MuJoCo BAMDP)")};

}  // namespace
}  // namespace bpo
