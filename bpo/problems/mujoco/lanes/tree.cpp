#include "bpo/problems/mujoco/lanes/tree.h"

#include <algorithm>

namespace bpo::lanes {
namespace {

bool read_softness(const mjtNum* solref, const mjtNum* solimp, double margin, double step,
                   Softness& out) {
  const double time = std::max(solref[0], 2.0 * step), ratio = solref[1];
  const auto share = [](double x) { return std::clamp(x, mjMINIMP, mjMAXIMP); };
  const double power = std::max(1.0, solimp[4]);
  out = {.low = share(solimp[0]),
         .high = share(solimp[1]),
         .width = solimp[2],
         .middle = share(solimp[3]),
         .quadratic = power == 2.0,
         .margin = margin};
  out.stiffness = 1.0 / (out.high * out.high * time * time * ratio * ratio);
  out.damping = 2.0 / (out.high * time);
  return solref[0] > 0.0 && ratio > 0.0 && out.width > mjMINVAL && (power == 1.0 || power == 2.0);
}

bool read_actuators(const mjModel& m, Tree& tree) {
  for (int i = 0; i < m.nu; ++i) {
    const int joint = m.actuator_trnid[2 * i];
    if (m.actuator_trntype[i] != mjTRN_JOINT || m.jnt_type[joint] == mjJNT_FREE ||
        m.jnt_type[joint] == mjJNT_BALL || m.actuator_dyntype[i] != mjDYN_NONE ||
        m.actuator_gaintype[i] != mjGAIN_FIXED || m.actuator_biastype[i] != mjBIAS_NONE ||
        m.actuator_forcelimited[i]) {
      return false;
    }
    tree.actuators.push_back({.dof = m.jnt_dofadr[joint],
                              .gain = m.actuator_gear[6 * i] * m.actuator_gainprm[mjNGAIN * i],
                              .limited = m.actuator_ctrllimited[i] != 0,
                              .low = m.actuator_ctrlrange[2 * i],
                              .high = m.actuator_ctrlrange[2 * i + 1]});
  }
  return true;
}

bool read_contacts(const mjModel& m, Tree& tree) {
  std::vector<int> capsule_of(m.ngeom, -1);
  int floor = -1;
  for (int g = 0; g < m.ngeom; ++g) {
    if (m.geom_contype[g] != 0 || m.geom_conaffinity[g] != 0 || m.geom_fluid[mjNFLUID * g] != 0.0) {
      return false;
    }
    const int body = m.geom_bodyid[g] - 1, type = m.geom_type[g];
    const mjtNum* quat = m.geom_quat + 4 * g;
    if (type == mjGEOM_PLANE && body < 0 && floor < 0 && quat[0] == 1.0) {
      floor = g;
      tree.floor = m.geom_pos[3 * g + 2];
      continue;
    }
    if (body < 0 || (type != mjGEOM_CAPSULE && type != mjGEOM_SPHERE)) return false;
    capsule_of[g] = static_cast<int>(tree.capsules.size());
    tree.capsules.push_back({.body = body, .ends = type == mjGEOM_CAPSULE ? 2 : 1});
  }
  for (int i = 0; i < m.npair; ++i) {
    const int a = m.pair_geom1[i], b = m.pair_geom2[i];
    const double margin = m.pair_margin[i];
    if (a != floor && b != floor) {
      tree.pairs.push_back({capsule_of[a], capsule_of[b], margin});
      continue;
    }
    Capsule& capsule = tree.capsules[capsule_of[a == floor ? b : a]];
    capsule.meets_floor = true;
    capsule.friction = m.pair_friction[5 * i];
    if (m.pair_dim[i] != 3 || m.pair_gap[i] != 0.0 ||
        m.pair_friction[5 * i + 1] != capsule.friction || capsule.friction < mjMINMU ||
        !read_softness(m.pair_solref + mjNREF * i, m.pair_solimp + mjNIMP * i, margin,
                       m.opt.timestep, capsule.soft)) {
      return false;
    }
  }
  return true;
}

}  // namespace

Ends ends_of(const mjModel& m, int geom) {
  std::array<mjtNum, 9> rotation;
  mju_quat2Mat(rotation.data(), m.geom_quat + 4 * geom);
  const double half = m.geom_type[geom] == mjGEOM_CAPSULE ? m.geom_size[3 * geom + 1] : 0.0;
  Ends ends;
  for (int k = 0; k < 3; ++k) {
    const double centre = m.geom_pos[3 * geom + k], along = half * rotation[3 * k + 2];
    ends.from[k] = centre - along;
    ends.to[k] = centre + along;
  }
  return ends;
}

bool read_common(const mjModel& m, Tree& tree) {
  const mjOption& opt = m.opt;
  tree.bodies = m.nbody - 1;
  tree.step = opt.timestep;
  tree.integrator = opt.integrator == mjINT_EULER ? Integrator::kEuler
                    : opt.integrator == mjINT_RK4 ? Integrator::kRungeKutta
                                                  : Integrator::kOther;
  if (tree.bodies < 1 || tree.bodies > kMaxBodies || m.nv > kMaxDofs || m.ngeom > kMaxCapsules ||
      m.neq > 0 || m.ntendon > 0 || m.na > 0 || m.nmocap > 0 || opt.disableflags != 0 ||
      opt.enableflags != 0 || opt.cone != mjCONE_PYRAMIDAL || opt.impratio != 1.0 ||
      opt.noslip_iterations > 0 || opt.wind[0] != 0.0 || opt.wind[1] != 0.0 || opt.wind[2] != 0.0) {
    return false;
  }
  for (int b = 1; b < m.nbody; ++b) {
    tree.parent.push_back(m.body_parentid[b] - 1);
    if (m.body_quat[4 * b] != 1.0 || (m.body_parentid[b] == 0) != (b == 1)) return false;
#if mjVERSION_HEADER >= 300
    if (m.body_gravcomp[b] != 0.0) return false;
#endif
  }
  return read_actuators(m, tree) && read_contacts(m, tree);
}

bool read_dof(const mjModel& m, int j, int above, Tree& tree) {
  const int dof = tree.dofs++;
  const bool angle = m.jnt_type[j] == mjJNT_HINGE;
  Joint joint{.qpos = m.jnt_qposadr[j],
              .armature = m.dof_armature[dof],
              .damping = m.dof_damping[dof],
              .stiffness = m.jnt_stiffness[j],
              .limited = m.jnt_limited[j] != 0,
              .low = m.jnt_range[2 * j],
              .high = m.jnt_range[2 * j + 1]};
  joint.zero = m.qpos0[joint.qpos];
  joint.rest = m.qpos_spring[joint.qpos];
  const double margin = m.jnt_margin[j];
  if (!read_softness(m.jnt_solref + mjNREF * j, m.jnt_solimp + mjNIMP * j, margin, m.opt.timestep,
                     joint.soft) ||
      m.dof_frictionloss[dof] != 0.0 || (joint.limited && !angle)) {
    return false;
  }
#if mjVERSION_HEADER >= 300
  if (m.jnt_actfrclimited[j]) return false;
#endif
  // At most one side of a range is within its margin at a time.
  if (joint.limited && joint.high - joint.low <= 2.0 * margin) return false;
  tree.damped |= joint.damping > 0.0;
  tree.joints.push_back(joint);
  tree.row.push_back(static_cast<int>(tree.path.size()));
  tree.path.push_back(dof);
  for (int t = 0; above >= 0 && t < tree.depth[above]; ++t) {
    tree.path.push_back(tree.path[tree.row[above] + t]);
  }
  tree.depth.push_back(static_cast<int>(tree.path.size()) - tree.row[dof]);
  return true;
}

}  // namespace bpo::lanes
