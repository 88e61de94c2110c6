#include "bpo/problems/mujoco/units.h"

#include <algorithm>

namespace bpo {
namespace {

/// How something moves: along a line, about an axis, or in a way of which a model does not say
/// more.
enum class Way { kSlides, kTurns, kOther };

Way way_of_joint(const mjModel& m, int joint) {
  switch (m.jnt_type[joint]) {
    case mjJNT_SLIDE:
      return Way::kSlides;
    case mjJNT_HINGE:
    case mjJNT_BALL:
      return Way::kTurns;
    default:
      return Way::kOther;  // a free joint does both
  }
}

/// A tendon through space has a length; a fixed one is a sum of joints' positions.
Way way_of_tendon(const mjModel& m, int tendon) {
  const int first = m.tendon_adr[tendon], number = m.tendon_num[tendon];
  if (m.wrap_type[first] != mjWRAP_JOINT) return Way::kSlides;
  const Way way = way_of_joint(m, m.wrap_objid[first]);
  for (int i = first + 1; i < first + number; ++i) {
    if (way_of_joint(m, m.wrap_objid[i]) != way) return Way::kOther;
  }
  return way;
}

Way way_of_actuator(const mjModel& m, int actuator) {
  const int on = m.actuator_trnid[2 * actuator];
  switch (m.actuator_trntype[actuator]) {
    case mjTRN_JOINT:
    case mjTRN_JOINTINPARENT:
      return way_of_joint(m, on);
    case mjTRN_TENDON:
      return way_of_tendon(m, on);
    case mjTRN_SLIDERCRANK:
      return Way::kSlides;
    default:
      return Way::kOther;
  }
}

Way way_of(const mjModel& m, const EditTarget& target) {
  switch (target.type) {
    case mjOBJ_JOINT:
      return way_of_joint(m, target.id);
    case mjOBJ_TENDON:
      return way_of_tendon(m, target.id);
    case mjOBJ_ACTUATOR:
      return way_of_actuator(m, target.id);
    default:
      return Way::kOther;
  }
}

/// The unit of a quantity by how it moves; of what is neither, both.
std::string by_way(Way way, const std::string& slides, const std::string& turns) {
  if (way == Way::kOther) return slides + " or " + turns;
  return way == Way::kSlides ? slides : turns;
}
std::string position(Way way) { return by_way(way, "m", "rad"); }
std::string velocity(Way way) { return by_way(way, "m/s", "rad/s"); }
std::string force(Way way) { return by_way(way, "N", "N m"); }

std::string sensor_unit(const mjModel& m, int sensor) {
  const int of = m.sensor_objid[sensor];
  switch (m.sensor_type[sensor]) {
    case mjSENS_TOUCH:
    case mjSENS_FORCE:
    case mjSENS_TENDONLIMITFRC:
      return "N";
    case mjSENS_TORQUE:
      return "N m";
    case mjSENS_ACCELEROMETER:
    case mjSENS_FRAMELINACC:
      return "m/s^2";
    case mjSENS_VELOCIMETER:
    case mjSENS_FRAMELINVEL:
    case mjSENS_SUBTREELINVEL:
      return "m/s";
    case mjSENS_GYRO:
    case mjSENS_BALLANGVEL:
    case mjSENS_FRAMEANGVEL:
      return "rad/s";
    case mjSENS_FRAMEANGACC:
      return "rad/s^2";
    case mjSENS_MAGNETOMETER:
      return "unit of the model's magnetic field";
    case mjSENS_RANGEFINDER:
    case mjSENS_FRAMEPOS:
    case mjSENS_SUBTREECOM:
      return "m";
    case mjSENS_JOINTPOS:
    case mjSENS_JOINTLIMITPOS:
      return position(way_of_joint(m, of));
    case mjSENS_JOINTVEL:
    case mjSENS_JOINTLIMITVEL:
      return velocity(way_of_joint(m, of));
    case mjSENS_JOINTLIMITFRC:
      return force(way_of_joint(m, of));
    case mjSENS_TENDONPOS:
    case mjSENS_TENDONLIMITPOS:
      return position(way_of_tendon(m, of));
    case mjSENS_TENDONVEL:
    case mjSENS_TENDONLIMITVEL:
      return velocity(way_of_tendon(m, of));
    case mjSENS_ACTUATORPOS:
      return position(way_of_actuator(m, of));
    case mjSENS_ACTUATORVEL:
      return velocity(way_of_actuator(m, of));
    case mjSENS_ACTUATORFRC:
      return force(way_of_actuator(m, of));
    case mjSENS_BALLQUAT:
    case mjSENS_FRAMEQUAT:
      return "quaternion";
    case mjSENS_FRAMEXAXIS:
    case mjSENS_FRAMEYAXIS:
    case mjSENS_FRAMEZAXIS:
      return "1";
    case mjSENS_SUBTREEANGMOM:
      return "kg m^2/s";
    case mjSENS_CLOCK:
      return "s";
    default:
      return "unit of the sensor";  // the user's own, or of a later MuJoCo
  }
}

std::string unit_at(const Edit& edit, Way way) {
  if (edit.op == EditOp::kScale) return "1";
  switch (edit.kind) {
    case EditKind::kDensity:
      return "kg/m^3";
    case EditKind::kMass:
    case EditKind::kPayload:
      return "kg";
    case EditKind::kCom:
      return "m";
    case EditKind::kDamping:
    case EditKind::kKd:
      return by_way(way, "N s/m", "N m s/rad");
    case EditKind::kStiffness:
    case EditKind::kKp:
      return by_way(way, "N/m", "N m/rad");
    case EditKind::kDryFriction:
    case EditKind::kForceLimit:
      return force(way);
    case EditKind::kArmature:
      return by_way(way, "kg", "kg m^2");
    case EditKind::kGravity:
      return "m/s^2";
    case EditKind::kWind:
      return "m/s";
    case EditKind::kJointZero:
    case EditKind::kEncoderBias:
      return position(way);
    case EditKind::kDelay:
      return "s";
    case EditKind::kLength:
    case EditKind::kFriction:
    case EditKind::kStrength:
      break;
  }
  return "1";
}

}  // namespace

std::vector<std::string> number_units(const Sim& sim, int history) {
  const mjModel& m = sim.model();
  std::vector<std::string> out = sim.state_units();
  out.resize(out.size() + static_cast<std::size_t>(history) * static_cast<std::size_t>(m.nu),
             "unit of the control");
  const std::size_t sensors = out.size();
  out.resize(sensors + static_cast<std::size_t>(m.nsensordata));
  for (int i = 0; i < m.nsensor; ++i) {
    std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(sensors) + m.sensor_adr[i],
                m.sensor_dim[i], sensor_unit(m, i));
  }
  return out;
}

std::string edit_unit(const mjModel& m, const Edit& edit) {
  if (edit.targets.empty()) return unit_at(edit, Way::kOther);
  const Way way = way_of(m, edit.targets.front());
  const bool alike = std::all_of(edit.targets.begin(), edit.targets.end(),
                                 [&](const EditTarget& t) { return way_of(m, t) == way; });
  return unit_at(edit, alike ? way : Way::kOther);
}

}  // namespace bpo
