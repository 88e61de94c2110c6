// The table of edits: what each kind is of, what it reads and writes of a compiled model.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bpo/core/error.h"
#include "bpo/problems/mujoco/edit_fields.h"
#include "bpo/problems/mujoco/edit_parts.h"
#include "bpo/problems/mujoco/edits.h"
#include "bpo/problems/mujoco/stretch.h"

namespace bpo {
namespace {

using namespace edit_groups;
using namespace edit_parts;
using M = mjModel;
using T = EditTarget;

constexpr EditOp kScale = EditOp::kScale, kAdd = EditOp::kAdd, kSet = EditOp::kSet;

void set_mass(M& m, const T& t, double mass) {
  const double f = positive(mass, "mass", t) / m.body_mass[t.id];
  m.body_mass[t.id] = mass;
  mju_scl3(m.body_inertia + 3 * t.id, m.body_inertia + 3 * t.id, f);
}
double mass_of(const M& m, const T& t) {
  if (m.body_mass[t.id] > mjMINVAL) return m.body_mass[t.id];
  unsuited("mass", t, "it has none; a payload can be added to it");
}
double volume_of(const M& m, const T& t) {
  if (const double volume = weighing_volume(m, t.id); volume > 0.0) return volume;
  unsuited("density", t, "its mass does not come from shapes of one density; use edit = \"mass\"");
}

using Field = mjtNum* M::*;

/// The numbers of a joint's degrees of freedom in a field, or the tendon's one in another.
std::span<double> part(const M& m, const T& t, Field of_dofs, Field of_tendons) {
  if (t.type == mjOBJ_TENDON) return {m.*of_tendons + t.id, 1};
  constexpr std::array kDofs{6, 3, 1, 1};  // free joint, ball, slide, hinge
  return {m.*of_dofs + m.jnt_dofadr[t.id],
          static_cast<std::size_t>(kDofs[static_cast<std::size_t>(m.jnt_type[t.id])])};
}
template <Field kDofs, Field kTendons>
double get_part(const M& m, const T& t, const Edit&) {
  return part(m, t, kDofs, kTendons)[0];
}
template <Field kDofs, Field kTendons>
void set_part(M& m, const T& t, const Edit& e, double to) {
  const auto numbers = part(m, t, kDofs, kTendons);
  std::fill(numbers.begin(), numbers.end(), no_less(to, edit_row(e.kind).name, t));
}

double& spring(const M& m, const T& t) {
  return t.type == mjOBJ_TENDON ? m.tendon_stiffness[t.id] : m.jnt_stiffness[t.id];
}

double get_gravity(const M& m, const T&, const Edit& e) {
  return e.axis ? m.opt.gravity[*e.axis] : mju_norm3(m.opt.gravity);
}
void set_gravity(M& m, const T&, const Edit& e, double to) {
  if (e.axis) {
    m.opt.gravity[*e.axis] = to;
  } else {
    const double now = mju_norm3(m.opt.gravity);
    if (now == 0.0)
      throw bad_input("gravity: the model has none; say axis = \"x\", \"y\" or \"z\"");
    mju_scl3(m.opt.gravity, m.opt.gravity, to / now);
  }
}
double get_wind(const M& m, const T&, const Edit& e) {
  if (m.opt.density > 0.0 || m.opt.viscosity > 0.0) return m.opt.wind[*e.axis];
  throw bad_input("wind: the model has no medium; give <option density> or viscosity");
}

double get_zero(const M& m, const T& t, const Edit&) {
  if (m.jnt_type[t.id] == mjJNT_HINGE || m.jnt_type[t.id] == mjJNT_SLIDE) {
    return m.qpos0[m.jnt_qposadr[t.id]];
  }
  unsuited("joint_zero", t, "only hinges and slides have one");
}
double get_bias(const M& m, const T& t, const Edit&) {
  if (m.jnt_type[t.id] == mjJNT_HINGE || m.jnt_type[t.id] == mjJNT_SLIDE) return 0.0;
  unsuited("encoder_bias", t, "only hinges and slides have one");
}
double get_nothing(const M&, const T&, const Edit&) { return 0.0; }

const std::vector<int> kBody{mjOBJ_BODY}, kGeom{mjOBJ_GEOM}, kJoint{mjOBJ_JOINT},
    kJointOrTendon{mjOBJ_JOINT, mjOBJ_TENDON}, kActuator{mjOBJ_ACTUATOR};

// Kept in the order of EditKind.
const std::vector<EditRow> kTable{
    {EditKind::kLength,
     "length",
     kBody,
     {kScale},
     kMasses | kFrames | kLengths,
     false,
     false,
     "how long a link is: all that is along it moves, its mass follows its volume",
     [](const M&, const T&, const Edit&) { return 1.0; },
     [](M& m, const T& t, const Edit&, double f) { stretch(m, t.id, positive(f, "length", t)); }},
    {EditKind::kDensity,
     "density",
     kBody,
     {kScale, kAdd, kSet},
     kMasses,
     false,
     false,
     "what a body's shapes are made of, in kg/m^3",
     [](const M& m, const T& t, const Edit&) { return mass_of(m, t) / volume_of(m, t); },
     [](M& m, const T& t, const Edit&, double to) {
       set_mass(m, t, positive(to, "density", t) * volume_of(m, t));
     }},
    {EditKind::kMass,
     "mass",
     kBody,
     {kScale, kAdd, kSet},
     kMasses,
     false,
     false,
     "the mass of a body, in kg; its moments of inertia go with it",
     [](const M& m, const T& t, const Edit&) { return mass_of(m, t); },
     [](M& m, const T& t, const Edit&, double to) { set_mass(m, t, to); }},
    {EditKind::kCom,
     "com",
     kBody,
     {kAdd, kSet, kScale},
     kMasses | kFrames,
     true,
     true,
     "where a body's centre of mass is along an axis of its own, in m",
     [](const M& m, const T& t, const Edit& e) { return m.body_ipos[3 * t.id + *e.axis]; },
     [](M& m, const T& t, const Edit& e, double to) { m.body_ipos[3 * t.id + *e.axis] = to; }},
    {EditKind::kPayload,
     "payload",
     kBody,
     {kAdd, kSet},
     kMasses | kFrames,
     false,
     false,
     "a point mass on a body, in kg, at a place in its frame (at = [x, y, z])",
     get_nothing,
     [](M& m, const T& t, const Edit& e, double kg) {
       at_least(-m.body_mass[t.id], false, kg, "payload", t);
       add_point_mass(m, t.id, kg, e.at.data());
     }},
    {EditKind::kFriction,
     "friction",
     kGeom,
     {kScale, kAdd, kSet},
     kContacts,
     false,
     false,
     "sliding friction of a shape; of two that touch the larger counts, or that of higher priority",
     [](const M& m, const T& t, const Edit&) { return m.geom_friction[3 * t.id]; },
     [](M& m, const T& t, const Edit&, double to) {
       m.geom_friction[3 * t.id] = no_less(to, "friction", t);
     }},
    {EditKind::kDamping,
     "damping",
     kJointOrTendon,
     {kScale, kAdd, kSet},
     kJoints,
     false,
     false,
     "viscous friction of a joint or tendon",
     get_part<&M::dof_damping, &M::tendon_damping>,
     set_part<&M::dof_damping, &M::tendon_damping>},
    {EditKind::kDryFriction,
     "dry_friction",
     kJointOrTendon,
     {kAdd, kSet, kScale},
     kJoints,
     false,
     false,
     "dry friction of a joint or tendon (frictionloss)",
     get_part<&M::dof_frictionloss, &M::tendon_frictionloss>,
     set_part<&M::dof_frictionloss, &M::tendon_frictionloss>},
    {EditKind::kStiffness,
     "stiffness",
     kJointOrTendon,
     {kScale, kAdd, kSet},
     kJoints,
     false,
     false,
     "the spring of a joint or tendon",
     [](const M& m, const T& t, const Edit&) { return spring(m, t); },
     [](M& m, const T& t, const Edit&, double to) { spring(m, t) = no_less(to, "stiffness", t); }},
    {EditKind::kArmature,
     "armature",
     kJoint,
     {kScale, kAdd, kSet},
     kInertias,
     false,
     false,
     "the rotor's inertia that a joint feels",
     get_part<&M::dof_armature, &M::dof_armature>,
     set_part<&M::dof_armature, &M::dof_armature>},
    {EditKind::kStrength,
     "strength",
     kActuator,
     {kScale},
     kActuators,
     false,
     false,
     "how strong an actuator is: its force at any control",
     get_strength,
     set_strength},
    {EditKind::kKp,
     "kp",
     kActuator,
     {kScale, kAdd, kSet},
     kActuators,
     false,
     false,
     "the gain of a position servo",
     get_kp,
     set_kp},
    {EditKind::kKd,
     "kd",
     kActuator,
     {kScale, kAdd, kSet},
     kActuators,
     false,
     false,
     "the damping of a position servo, the gain of a velocity servo",
     get_kd,
     set_kd},
    {EditKind::kForceLimit,
     "force_limit",
     kActuator,
     {kScale, kAdd, kSet},
     kActuators,
     false,
     false,
     "the largest force of an actuator; its forcerange scales with it",
     get_limit,
     set_limit},
    {EditKind::kGravity,
     "gravity",
     {},
     {kScale, kAdd, kSet},
     kOptions,
     true,
     false,
     "how strong gravity is, or its component along an axis (a floor that is not level)",
     get_gravity,
     set_gravity},
    {EditKind::kWind,
     "wind",
     {},
     {kAdd, kSet, kScale},
     kOptions,
     true,
     true,
     "the wind along an axis of the world, in m/s",
     get_wind,
     [](M& m, const T&, const Edit& e, double to) { m.opt.wind[*e.axis] = to; }},
    {EditKind::kJointZero,
     "joint_zero",
     kJoint,
     {kAdd, kSet},
     kZeros,
     false,
     false,
     "where a joint's zero is: its reading in the model's own pose",
     get_zero,
     [](M& m, const T& t, const Edit&, double to) { m.qpos0[m.jnt_qposadr[t.id]] = to; }},
    {EditKind::kDelay,
     "delay",
     {},
     {kSet, kAdd},
     0,
     false,
     false,
     "the time from a control to its effect, in seconds, by whole time steps",
     get_nothing,
     nullptr},
    {EditKind::kEncoderBias,
     "encoder_bias",
     kJoint,
     {kAdd, kSet},
     0,
     false,
     false,
     "by how much a joint's position is read wrongly",
     get_bias,
     nullptr}};

}  // namespace

std::span<const EditRow> edit_table() { return kTable; }
const EditRow& edit_row(EditKind kind) { return kTable[static_cast<std::size_t>(kind)]; }

const char* op_name(EditOp op) {
  return op == EditOp::kScale ? "scale" : op == EditOp::kAdd ? "add" : "set";
}

double changed(EditOp op, double nominal, double value) {
  return op == EditOp::kScale ? nominal * value : op == EditOp::kAdd ? nominal + value : value;
}

}  // namespace bpo
