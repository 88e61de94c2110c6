// Eight small models in which everything that can be edited has a mark: @what:number@. The text
// with the numbers as they stand is the nominal model; with others in the place of some, it is what
// an edit is compared with.
#pragma once

#include <fmt/format.h>

#include <array>
#include <functional>
#include <stdexcept>
#include <string>

namespace bpo::test {

/// What becomes of a marked number.
using Marks = std::function<double(const std::string& what, double number)>;

struct SmallModel {
  const char* name;
  std::string text;
  bool own_inertia;  // whether the inertia of "link" is given by hand
};

namespace small {

inline const std::string kHead =
    R"(<mujoco><compiler angle='radian'/><size nconmax='50' njmax='200'/>
<option timestep='0.002' gravity='0 0 @gravity:-9.81@' wind='@wind:0@ 0 0' density='1.2'/>
)";
inline const std::string kActuators = R"(<actuator>
<general name='motor' joint='knee' gear='2' gainprm='@strength:3@'
  forcelimited='true' forcerange='@force_limit:-4@ @force_limit:5@'/>
<general name='servo' joint='knee' gainprm='@kp:2@' biastype='affine' biasprm='0 @kp:-2@ @kd:-.1@'/>
)";
inline const std::string kJoint = R"(type='hinge' axis='0 1 0' damping='@damping:.2@'
  frictionloss='@dry_friction:.05@' stiffness='@stiffness:.7@' armature='@armature:.03@'
  ref='@joint_zero:.1@')";
/// A link of two capsules and a ball, with a body and a site at its end.
inline std::string link(const std::string& inside, const std::string& inertial = "") {
  return R"(<body name='link' pos='.05 0 .2'><!--inertial-->)" + inertial +
         R"(<joint name='knee' )" + kJoint + R"(/>
<geom name='rod' type='capsule' fromto='0 0 0 @length:.1@ 0 @length:-.4@' size='.04'
  density='@density:900@' friction='@friction:.7@ .01 .001'/>
<geom name='ball' type='sphere' pos='0 @length:.02@ @length:-.3@' size='.06' density='@density:900@'/>
<site name='tip' pos='@length:.1@ 0 @length:-.4@'/>
<body name='tool' pos='@length:.1@ 0 @length:-.4@'><joint name='wrist' type='hinge' axis='1 0 0' damping='.1'/>
<geom name='block' type='box' size='.02 .05 .03' density='500'/>)" +
         inside + "</body></body>";
}
inline const std::string kByHand = R"(<inertial pos='@length:.03@ 0 @length:-.2@'
  mass='@rod_mass:1.5@' diaginertia='@rod_inertia:.03@ @rod_inertia:.04@ @rod_inertia:.02@'/>)";

inline std::string fixed_base(const std::string& link, const std::string& after) {
  return kHead + "<worldbody><body name='base' pos='0 0 1'><geom size='.1'/>" + link +
         "</body></worldbody>" + kActuators + "</actuator>" + after + "</mujoco>";
}

inline const std::string kFloor =
    "<geom name='floor' type='plane' size='9 9 1' friction='.4 .005 .0001'/>";
inline const std::string kSlider =
    "<joint name='x' type='slide' axis='1 0 0'/><joint name='z' type='slide' axis='0 0 1'/>"
    "<joint name='turn' type='hinge' axis='0 1 0'/>";

}  // namespace small

/// MJCF with the marks resolved.
inline std::string resolved(std::string text, const Marks& marks) {
  for (std::size_t from = text.find('@'); from != std::string::npos; from = text.find('@', from)) {
    const std::size_t colon = text.find(':', from), to = text.find('@', from + 1);
    if (to == std::string::npos || colon > to) throw std::logic_error("bad mark in " + text);
    const std::string number =
        fmt::format("{:.17g}", marks(text.substr(from + 1, colon - from - 1),
                                     std::stod(text.substr(colon + 1, to - colon - 1))));
    text.replace(from, to + 1 - from, number);
  }
  return text;
}

inline const std::array<SmallModel, 8>& small_models() {
  using namespace small;
  static const std::array<SmallModel, 8> kModels{{
      {"an arm on a fixed base", fixed_base(link(""), ""), false},
      {"an arm with inertia given by hand", fixed_base(link("", kByHand), ""), true},
      {"a planar robot on a floor, with pairs",
       kHead + "<worldbody>" + kFloor + "<body name='base' pos='0 0 .5'>" + kSlider +
           "<geom name='trunk' size='.1'/>" + link("") + "</body></worldbody><contact>" +
           "<pair geom1='floor' geom2='rod' friction='@friction:.8@ @friction:.8@ .01 .001 "
           ".001'/><pair geom1='floor' geom2='block' friction='.9 .9 .1 "
           ".01 .01'/></contact>" +
           kActuators + "</actuator></mujoco>",
       false},
      {"a robot that floats in space",
       kHead + "<worldbody>" + kFloor + "<body name='base' pos='0 0 .5'><freejoint/>" +
           "<geom name='trunk' type='ellipsoid' size='.1 .2 .1'/>" + link("") +
           "</body></worldbody>" + kActuators + "</actuator></mujoco>",
       false},
      {"tendons with springs",
       fixed_base(link("<site name='end' pos='0 0 -.1'/>"),
                  "<tendon><fixed name='both' stiffness='2' damping='.1'><joint joint='knee' "
                  "coef='1'/><joint joint='wrist' coef='.5'/></fixed>"
                  "<spatial name='string' stiffness='3' frictionloss='.02'><site site='tip'/><site "
                  "site='end'/></spatial><spatial name='given' stiffness='3' springlength='.05'>"
                  "<site site='tip'/><site site='end'/></spatial></tendon>"),
       false},
      {"closed loops",
       fixed_base(link(""),
                  "<equality><connect body1='link' body2='world' anchor='@length:.1@ 0 "
                  "@length:-.4@'/><weld body1='tool' body2='base'/>"
                  "<joint joint1='knee' joint2='wrist' polycoef='0 .5 0 0 0'/></equality>"),
       false},
      {"activations and a ball joint",
       kHead +
           "<worldbody><body name='base' pos='0 0 1'><joint name='ball' type='ball' damping='.1'/>"
           "<geom size='.1'/>" +
           link("") + "</body></worldbody>" + kActuators +
           "<general name='slow' joint='wrist' dyntype='filter' dynprm='.1' gainprm='2'/>"
           "<general name='held' joint='wrist' dyntype='integrator' gainprm='3' biastype='affine' "
           "biasprm='0 -3'/></actuator></mujoco>",
       false},
      {"a mesh, and statistics of its own",
       kHead +
           "<statistic meaninertia='0.37'/><asset><mesh name='wedge' vertex='0 0 0 .1 0 0 0 .1 0 0 "
           "0 .1'/></asset>"
           "<worldbody><body name='base' pos='0 0 1'><geom type='mesh' mesh='wedge'/>" +
           link("<geom name='stone' type='mesh' mesh='wedge'/>") + "</body></worldbody>" +
           kActuators + "</actuator></mujoco>",
       false},
  }};
  return kModels;
}

/// An arm of two links in a plane, moved by three muscles. Where its joints end is soft, so that
/// how far the muscles stretch depends a little on masses.
inline const SmallModel& muscle_arm() {
  static const SmallModel kModel{
      "an arm with muscles",
      "<mujoco><compiler angle='radian'/><option timestep='.005'/><worldbody>"
      "<site name='high' pos='.05 0 1.2'/><site name='low' pos='-.06 0 .9'/>"
      "<body name='upper' pos='0 0 1'><joint name='shoulder' type='hinge' axis='0 1 0' "
      "limited='true' range='-1 1' damping='.3'/>"
      "<geom name='upper' type='capsule' fromto='0 0 0 0 0 -.4' size='.03' mass='1'/>"
      "<site name='front' pos='.04 0 -.2'/><site name='back' pos='-.04 0 -.2'/>"
      "<body name='lower' pos='0 0 -.4'><joint name='elbow' type='hinge' axis='0 1 0' "
      "limited='true' range='-2 .1' damping='.2'/>"
      "<geom name='lower' type='capsule' fromto='0 0 0 0 0 -.3' size='.02' mass='.5'/>"
      "<site name='wrist' pos='.03 0 -.1'/><site name='hand' pos='0 0 -.3'/></body></body>"
      "</worldbody><tendon><spatial name='biceps'><site site='front'/><site "
      "site='wrist'/></spatial>"
      "<spatial name='deltoid'><site site='high'/><site site='front'/></spatial>"
      "<spatial name='triceps'><site site='low'/><site site='back'/></spatial></tendon>"
      "<actuator><muscle name='bend' tendon='biceps' scale='@scale:200@'/>"
      "<muscle name='lift' tendon='deltoid' force='@force:150@'/>"
      "<muscle name='sink' tendon='triceps'/></actuator></mujoco>",
      false};
  return kModel;
}

/// A cart on a rail with a motor, and what a test adds to it.
struct Cart {
  const char* step = ".01";
  std::string rail = {};                   // attributes of its joint
  std::string world = {}, body = {};       // elements in the world and in the cart
  std::string motor = "ctrlrange='-2 4'";  // attributes of its motor
  std::string actuators = {}, rest = {};   // more of them, and what follows

  std::string mjcf() const {
    return fmt::format(
        "<mujoco><compiler angle='radian'/><option timestep='{}'/><worldbody>{}\n"
        "<body name='cart'><joint name='rail' type='slide' axis='1 0 0' damping='.1' {}/>"
        "<geom name='cart' size='.1' mass='1'/>{}</body></worldbody>\n"
        "<actuator><motor name='push' joint='rail' ctrllimited='true' {}/>{}</actuator>{}</mujoco>",
        step, world, rail, body, motor, actuators, rest);
  }
};
/// An arm that hangs below it.
inline const std::string kArm =
    "<body name='arm'><joint name='hinge' type='hinge' axis='0 1 0' damping='.1'/>"
    "<geom name='arm' type='capsule' fromto='0 0 0 0 0 -.5' size='.03' mass='.5'/>"
    "<site name='end' pos='0 0 -.5'/></body>";
/// A latent: the mass of a cart that nobody weighed.
inline std::string cart_mass(int bins = 5) {
  return fmt::format(
      "\n[[latent]]\nname = \"mass\"\nedit = \"mass\"\nof = \"cart\"\n"
      "prior = {{ uniform = [0.5, 2.0] }}\nbins = {}\n",
      bins);
}

}  // namespace bpo::test
