#include "bpo/problems/mujoco/lanes/tree.h"

#include <algorithm>

#include "bpo/problems/mujoco/versions.h"

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
                              .limited = m.actuator_ctrllimited[i] != 0,
                              .low = m.actuator_ctrlrange[2 * i],
                              .high = m.actuator_ctrlrange[2 * i + 1]});
  }
  return true;
}

/// What MuJoCo makes of two geoms that may touch.
struct Touch {
  int a = 0, b = 0, pair = -1;  // -1: found by search
  int dimension = 3;
  const mjtNum *solref = nullptr, *solimp = nullptr;
  double margin = 0.0, gap = 0.0;
};

double friction_of(const mjModel& m, int a, int b) {
  const double x = m.geom_friction[3 * a], y = m.geom_friction[3 * b];
  if (m.geom_priority[a] == m.geom_priority[b]) return std::max(x, y);
  return m.geom_priority[a] > m.geom_priority[b] ? x : y;
}

/// Whether MuJoCo's search looks at two geoms: neither of one body, nor of a parent and its child.
bool is_searched(const mjModel& m, int a, int b) {
  const int x = m.body_weldid[m.geom_bodyid[a]], y = m.body_weldid[m.geom_bodyid[b]];
  const int above_x = m.body_weldid[m.body_parentid[x]],
            above_y = m.body_weldid[m.body_parentid[y]];
  return x != y && !(x != 0 && y != 0 && (x == above_y || y == above_x)) &&
         ((m.geom_contype[a] & m.geom_conaffinity[b]) != 0 ||
          (m.geom_contype[b] & m.geom_conaffinity[a]) != 0);
}

/// All that can touch; false if some are of a kind that is not covered.
bool list_touches(const mjModel& m, std::vector<Touch>& out) {
  for (int i = 0; i < m.npair; ++i) {
    out.push_back({m.pair_geom1[i], m.pair_geom2[i], i, m.pair_dim[i], m.pair_solref + mjNREF * i,
                   m.pair_solimp + mjNIMP * i, m.pair_margin[i], m.pair_gap[i]});
  }
  for (int a = 0; a < m.ngeom && collision_search(m.opt) != CollisionSearch::kExplicit; ++a) {
    for (int b = a + 1; b < m.ngeom; ++b) {
      if (!is_searched(m, a, b)) continue;
      const int first = m.geom_priority[a] >= m.geom_priority[b] ? a : b;
      const bool even = m.geom_priority[a] == m.geom_priority[b];
      const mjtNum *ref_a = m.geom_solref + mjNREF * a, *imp_a = m.geom_solimp + mjNIMP * a;
      if (m.npair > 0 || m.nexclude > 0 || collision_search(m.opt) != CollisionSearch::kAll ||
          (even && (!std::equal(ref_a, ref_a + mjNREF, m.geom_solref + mjNREF * b) ||
                    !std::equal(imp_a, imp_a + mjNIMP, m.geom_solimp + mjNIMP * b)))) {
        return false;
      }
      out.push_back(
          {a, b, -1, even ? std::max(m.geom_condim[a], m.geom_condim[b]) : m.geom_condim[first],
           m.geom_solref + mjNREF * first, m.geom_solimp + mjNIMP * first,
           std::max(m.geom_margin[a], m.geom_margin[b]), std::max(m.geom_gap[a], m.geom_gap[b])});
      // Newer versions add the margins of two geoms up; of one margin it is the same.
      if (!kFlagsSayAll && m.geom_margin[a] != 0.0 && m.geom_margin[b] != 0.0) return false;
    }
  }
  return true;
}

bool read_contacts(const mjModel& m, Tree& tree) {
  std::vector<int> capsule_of(m.ngeom, -1);
  int floor = -1;
  for (int g = 0; g < m.ngeom; ++g) {
    if (m.geom_fluid[mjNFLUID * g] != 0.0) return false;
    const int body = m.geom_bodyid[g] - 1, type = m.geom_type[g];
    const mjtNum* quat = m.geom_quat + 4 * g;
    if (type == mjGEOM_PLANE && body < 0 && floor < 0 && quat[0] == 1.0) {
      floor = g;
      tree.floor = m.geom_pos[3 * g + 2];
      continue;
    }
    if (body < 0 || (type != mjGEOM_CAPSULE && type != mjGEOM_SPHERE)) return false;
    capsule_of[g] = static_cast<int>(tree.capsules.size());
    tree.capsules.push_back({.body = body, .ends = type == mjGEOM_CAPSULE ? 2 : 1, .geom = g});
  }
  tree.floor_geom = floor;
  std::vector<Touch> touches;
  if (!list_touches(m, touches)) return false;
  for (const Touch& t : touches) {
    if (t.a != floor && t.b != floor) {
      tree.pairs.push_back({capsule_of[t.a], capsule_of[t.b], t.margin});
      continue;
    }
    Capsule& capsule = tree.capsules[capsule_of[t.a == floor ? t.b : t.a]];
    capsule.meets_floor = true;
    capsule.pair = t.pair;
    if (t.dimension != 3 || t.gap != 0.0 ||
        !read_softness(t.solref, t.solimp, t.margin, m.opt.timestep, capsule.soft)) {
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
  if (tree.bodies < 1 || tree.bodies > kMaxBodies || m.nv > kMaxDofs || m.nu > kMaxDofs ||
      m.ngeom > kMaxCapsules || m.neq > 0 || m.ntendon > 0 || m.na > 0 || m.nmocap > 0 ||
      switched_off(m) != 0 || beyond_lanes(m) || opt.enableflags != 0 ||
      opt.cone != mjCONE_PYRAMIDAL || opt.impratio != 1.0 || opt.noslip_iterations > 0 ||
      opt.wind[0] != 0.0 || opt.wind[1] != 0.0 || opt.wind[2] != 0.0) {
    return false;
  }
  for (int b = 1; b < m.nbody; ++b) {
    tree.parent.push_back(m.body_parentid[b] - 1);
    if (m.body_quat[4 * b] != 1.0 || (m.body_parentid[b] == 0) != (b == 1)) return false;
  }
  return read_actuators(m, tree) && read_contacts(m, tree);
}

bool read_drive(const mjModel& m, const Tree& tree, std::vector<double>& numbers) {
  for (int i = 0; i < tree.dofs; ++i) {
    if (m.dof_frictionloss[i] != 0.0 || (m.dof_damping[i] > 0.0 && !tree.damped)) return false;
    numbers.push_back(m.dof_armature[i]);
    numbers.push_back(m.dof_damping[i]);
    numbers.push_back(m.jnt_stiffness[m.dof_jntid[i]]);
  }
  for (int i = 0; i < m.nu; ++i) {
    numbers.push_back(m.actuator_gear[6 * i] * m.actuator_gainprm[mjNGAIN * i]);
  }
  for (const Capsule& c : tree.capsules) {
    double friction = 1.0;
    if (c.meets_floor) {
      friction = c.pair < 0 ? friction_of(m, c.geom, tree.floor_geom)
                            : m.pair_friction[5 * static_cast<std::ptrdiff_t>(c.pair)];
      const bool even = c.pair < 0 || friction == m.pair_friction[5 * c.pair + 1];
      if (friction < mjMINMU || !even) return false;
    }
    numbers.push_back(friction);
  }
  numbers.insert(numbers.end(), m.opt.gravity, m.opt.gravity + 3);
  return true;
}

bool read_dof(const mjModel& m, int j, int above, Tree& tree) {
  const int dof = tree.dofs++;
  const bool angle = m.jnt_type[j] == mjJNT_HINGE;
  Joint joint{.qpos = m.jnt_qposadr[j],
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
  // At most one side of a range is within its margin at a time.
  if (joint.limited && joint.high - joint.low <= 2.0 * margin) return false;
  tree.damped |= m.dof_damping[dof] > 0.0;
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
