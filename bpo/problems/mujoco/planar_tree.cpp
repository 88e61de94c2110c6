#include "bpo/problems/mujoco/planar_tree.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace bpo::planar {
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

bool read_joints(const mjModel& m, Tree& tree) {
  const mjtNum* first_hinge = m.jnt_axis + 3 * 2;
  const auto normal = static_cast<int>(std::find(first_hinge, first_hinge + 3, 1.0) - first_hinge);
  if (normal == 3) return false;
  tree.normal = normal;
  tree.axes = {(normal + 1) % 3, (normal + 2) % 3};
  for (int j = 0; j < m.njnt; ++j) {
    const mjtNum *axis = m.jnt_axis + 3 * j, *pos = m.jnt_pos + 3 * j;
    const bool slide = j < 2;
    if (m.jnt_type[j] != (slide ? mjJNT_SLIDE : mjJNT_HINGE) ||
        m.jnt_bodyid[j] != std::max(1, j - 1) || axis[normal] != (slide ? 0.0 : 1.0) ||
        pos[0] != 0.0 || pos[1] != 0.0 || pos[2] != 0.0 || m.dof_frictionloss[j] != 0.0 ||
        (slide && m.jnt_limited[j])) {
      return false;
    }
#if mjVERSION_HEADER >= 300
    if (m.jnt_actfrclimited[j]) return false;
#endif
    if (slide) tree.slides[j] = {axis[tree.axes[0]], axis[tree.axes[1]]};
    Joint joint{.zero = m.qpos0[j],
                .armature = m.dof_armature[j],
                .damping = m.dof_damping[j],
                .stiffness = m.jnt_stiffness[j],
                .rest = m.qpos_spring[j],
                .limited = m.jnt_limited[j] != 0,
                .low = m.jnt_range[2 * j],
                .high = m.jnt_range[2 * j + 1]};
    const double margin = m.jnt_margin[j];
    if (!read_softness(m.jnt_solref + mjNREF * j, m.jnt_solimp + mjNIMP * j, margin, m.opt.timestep,
                       joint.soft)) {
      return false;
    }
    // At most one side of a range is felt at a time.
    if (joint.limited && joint.high - joint.low <= 2.0 * margin) return false;
    tree.damped |= joint.damping > 0.0;
    tree.joints.push_back(joint);
    tree.row.push_back(static_cast<int>(tree.path.size()));
    tree.path.push_back(j);
    if (j > 0) {
      const int above = j <= 2 ? j - 1 : tree.parent[j - 2] + 2;
      for (int t = 0; t < tree.depth[above]; ++t) {
        tree.path.push_back(tree.path[tree.row[above] + t]);
      }
    }
    tree.depth.push_back(static_cast<int>(tree.path.size()) - tree.row[j]);
  }
  return true;
}

bool read_motors(const mjModel& m, Tree& tree) {
  for (int i = 0; i < m.nu; ++i) {
    if (m.actuator_trntype[i] != mjTRN_JOINT || m.actuator_dyntype[i] != mjDYN_NONE ||
        m.actuator_gaintype[i] != mjGAIN_FIXED || m.actuator_biastype[i] != mjBIAS_NONE ||
        m.actuator_forcelimited[i]) {
      return false;
    }
    tree.motors.push_back({.dof = m.actuator_trnid[2 * i],
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
  const auto up = std::find(tree.axes.begin(), tree.axes.end(), 2);
  tree.up = static_cast<int>(up - tree.axes.begin());
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
    if (up == tree.axes.end() || m.pair_dim[i] != 3 || m.pair_gap[i] != 0.0 ||
        m.pair_friction[5 * i + 1] != capsule.friction || capsule.friction < mjMINMU ||
        !read_softness(m.pair_solref + mjNREF * i, m.pair_solimp + mjNIMP * i, margin,
                       m.opt.timestep, capsule.soft)) {
      return false;
    }
  }
  return true;
}

/// The drag that MuJoCo gives a body in a fluid: that of a box with the same inertia.
bool read_fluid(const mjModel& m, const Tree& tree, int body, const mjtNum* turned, double* out) {
  int out_of_plane = -1;
  for (int k = 0; k < 3; ++k) {
    if (std::abs(turned[3 * tree.normal + k]) > 1.0 - 1e-12) out_of_plane = k;
  }
  if (out_of_plane < 0) return false;
  const int first = (out_of_plane + 1) % 3, second = (out_of_plane + 2) % 3;
  const mjtNum* inertia = m.body_inertia + 3 * body;
  const double trace = inertia[0] + inertia[1] + inertia[2];
  const auto side = [&](int k) {
    return std::sqrt(std::max(mjMINVAL, trace - 2.0 * inertia[k]) / m.body_mass[body] * 6.0);
  };
  const double a = side(first), b = side(second), c = side(out_of_plane);
  const double width = (a + b + c) / 3.0, density = m.opt.density;
  out[kSide] = turned[3 * tree.axes[0] + first];
  out[kSide + 1] = turned[3 * tree.axes[1] + first];
  out[kDrag] = 3.0 * std::numbers::pi * width * m.opt.viscosity;
  out[kDrag + 1] = std::numbers::pi * width * width * width * m.opt.viscosity;
  out[kSquareDrag] = 0.5 * density * b * c;
  out[kSquareDrag + 1] = 0.5 * density * a * c;
  out[kSquareDrag + 2] = density * c * (a * a * a * a + b * b * b * b) / 64.0;
  return true;
}

bool read_bodies(const mjModel& m, const Tree& tree, double* out) {
  for (int b = 0; b < tree.bodies; ++b, out += kPerBody) {
    const int body = b + 1;
    std::array<mjtNum, 9> turned;
    mju_quat2Mat(turned.data(), m.body_iquat + 4 * body);
    for (int k = 0; k < 2; ++k) {
      out[kOffset + k] = m.body_pos[3 * body + tree.axes[k]];
      out[kCentre + k] = m.body_ipos[3 * body + tree.axes[k]];
    }
    out[kMass] = m.body_mass[body];
    for (int k = 0; k < 3; ++k) {
      const double along = turned[3 * tree.normal + k];
      out[kInertia] += m.body_inertia[3 * body + k] * along * along;
    }
    out[kJointWeight] = m.dof_invweight0[b + 2];
    if (tree.fluid && !read_fluid(m, tree, body, turned.data(), out)) return false;
  }
  return true;
}

bool read_capsules(const mjModel& m, const Tree& tree, double* out) {
  for (int g = 0; g < m.ngeom; ++g) {
    if (m.geom_type[g] == mjGEOM_PLANE) continue;
    std::array<mjtNum, 9> turned;
    mju_quat2Mat(turned.data(), m.geom_quat + 4 * g);
    const double half = m.geom_type[g] == mjGEOM_CAPSULE ? m.geom_size[3 * g + 1] : 0.0;
    for (int k = 0; k < 2; ++k) {
      const double middle = m.geom_pos[3 * g + tree.axes[k]];
      const double along = half * turned[3 * tree.axes[k] + 2];
      out[kFrom + k] = middle - along;
      out[kTo + k] = middle + along;
    }
    out[kRadius] = m.geom_size[3 * g];
    out[kWeight] = m.body_invweight0[2 * m.geom_bodyid[g]];
    if (std::abs(half * turned[3 * tree.normal + 2]) > 1e-12 ||
        m.geom_pos[3 * g + tree.normal] != 0.0) {
      return false;
    }
    out += kPerCapsule;
  }
  return true;
}

}  // namespace

bool read_tree(const mjModel& m, Tree& tree) {
  const mjOption& opt = m.opt;
  tree.bodies = m.nbody - 1;
  tree.dofs = m.nv;
  if (tree.bodies < 1 || tree.bodies > kMaxBodies || m.nv != tree.bodies + 2 || m.nq != m.nv ||
      m.njnt != m.nv || m.ngeom > kMaxCapsules || m.neq > 0 || m.ntendon > 0 || m.na > 0 ||
      m.nmocap > 0 || opt.disableflags != 0 || opt.enableflags != 0 ||
      opt.cone != mjCONE_PYRAMIDAL || opt.impratio != 1.0 || opt.noslip_iterations > 0 ||
      opt.wind[0] != 0.0 || opt.wind[1] != 0.0 || opt.wind[2] != 0.0) {
    return false;
  }
  for (int b = 1; b < m.nbody; ++b) {
    tree.parent.push_back(m.body_parentid[b] - 1);
    if (m.body_quat[4 * b] != 1.0 || (m.body_parentid[b] == 0) != (b == 1)) return false;
#if mjVERSION_HEADER >= 300
    if (m.body_gravcomp[b] != 0.0) return false;
#endif
  }
  if (!read_joints(m, tree) || !read_motors(m, tree) || !read_contacts(m, tree)) return false;
  tree.gravity = {opt.gravity[tree.axes[0]], opt.gravity[tree.axes[1]]};
  tree.step = opt.timestep;
  tree.fluid = opt.density > 0.0 || opt.viscosity > 0.0;
  return true;
}

bool read_numbers(const mjModel& m, const Tree& tree, std::vector<double>& numbers) {
  numbers.assign(kPerBody * tree.bodies + kPerCapsule * tree.capsules.size(), 0.0);
  return read_bodies(m, tree, numbers.data()) &&
         read_capsules(m, tree, numbers.data() + kPerBody * tree.bodies);
}

}  // namespace bpo::planar
