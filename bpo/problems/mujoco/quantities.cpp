#include "bpo/problems/mujoco/quantities.h"

#include <algorithm>
#include <cmath>

namespace bpo {
namespace {

const mjtNum* position(const Sim& sim, const Measure& m) {
  return m.site ? sim.data().site_xpos + 3 * m.id : sim.data().xpos + 3 * m.id;
}

double power_of(const Sim& sim) {
  double sum = 0.0;
  for (int i = 0; i < sim.model().nu; ++i) {
    sum += std::abs(sim.data().actuator_force[i] * sim.data().actuator_velocity[i]);
  }
  return sum;
}

bool touches(const Sim& sim, int body) {
  for (int c = 0; c < sim.data().ncon; ++c) {
    const mjContact& contact = sim.data().contact[c];
    if (contact.exclude != 0) continue;
    for (const int geom : {contact.geom1, contact.geom2}) {
      if (geom >= 0 && sim.model().geom_bodyid[geom] == body) return true;
    }
  }
  return false;
}

double reading(const Sim& sim, const Measure& m) {
  const int n = sim.model().sensor_dim[m.id];
  const mjtNum* x = sim.data().sensordata + sim.model().sensor_adr[m.id];
  if (m.target.empty()) return n == 1 ? x[0] : mju_norm(x, n);
  double squares = 0.0;
  for (int i = 0; i < n; ++i) squares += std::pow(x[i] - m.target[static_cast<std::size_t>(i)], 2);
  return std::sqrt(squares);
}

/// The angle of the turn from the one orientation to the other, or the distance between joints'
/// positions.
double from_pose(const Sim& sim, const Measure& m) {
  if (!m.joints.empty()) {
    double squares = 0.0;
    for (std::size_t i = 0; i < m.joints.size(); ++i) {
      squares += std::pow(sim.data().qpos[m.joints[i]] - m.target[i], 2);
    }
    return std::sqrt(squares);
  }
  mjtNum now[4];
  mju_mat2Quat(now, (m.site ? sim.data().site_xmat : sim.data().xmat) + 9 * m.id);
  double cosine = 0.0;
  for (std::size_t i = 0; i < 4; ++i) cosine += now[i] * m.target[i];
  return 2.0 * std::acos(std::min(std::abs(cosine), 1.0));
}

}  // namespace

double RewardTerm::value(double x) const {
  double y = target ? std::abs(x - *target) : x;
  if (power != 1.0) y = std::pow(std::abs(y), power);
  return weight * std::clamp(y, least, most);
}

Depth depth_of(const Measure& m) {
  switch (m.what) {
    case Quantity::kAlive:
    case Quantity::kControl:
    case Quantity::kJoint:
    case Quantity::kJointSpeed:
      return Depth::kState;
    case Quantity::kPose:
      return m.joints.empty() ? Depth::kKinematics : Depth::kState;
    case Quantity::kSpeed:
    case Quantity::kPosition:
    case Quantity::kUpright:
      return Depth::kKinematics;
    default:
      return Depth::kForces;
  }
}

double place_of(const Sim& sim, const Measure& m) { return position(sim, m)[m.axis]; }

double measured(const Sim& sim, const Measure& m, std::span<const float> action, double way,
                double seconds) {
  switch (m.what) {
    case Quantity::kAlive:
      return 1.0;
    case Quantity::kControl: {
      double squares = 0.0;
      for (const float u : action) squares += double{u} * u;
      return squares;
    }
    case Quantity::kSpeed:
      return way / seconds;
    case Quantity::kPosition:
      return m.to ? mju_dist3(position(sim, m), m.to->data()) : position(sim, m)[m.axis];
    case Quantity::kPose:
      return from_pose(sim, m);
    case Quantity::kUpright:
      return sim.data().xmat[9 * m.id + 8];
    case Quantity::kJoint:
      return sim.data().qpos[m.id];
    case Quantity::kJointSpeed:
      return sim.data().qvel[m.id];
    case Quantity::kSensor:
      return reading(sim, m);
    case Quantity::kEnergy:
      return power_of(sim);
    case Quantity::kContact:
      return touches(sim, m.id) ? 1.0 : 0.0;
  }
  return 0.0;
}

}  // namespace bpo
