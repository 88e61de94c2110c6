// Which fields of a MuJoCo model an edit can change, in groups, so that a patch holds no more than
// its robot's edits touch.
#pragma once

#include <algorithm>
#include <cassert>
#include <vector>

#include "bpo/problems/mujoco/versions.h"

namespace bpo {

namespace edit_groups {

inline constexpr unsigned kMasses = 1, kFrames = 2, kLengths = 4, kContacts = 8, kJoints = 16,
                          kInertias = 32, kActuators = 64, kOptions = 128, kZeros = 256;
/// The groups after whose edits mj_setConst has to be called.
inline constexpr unsigned kConstants = kMasses | kFrames | kLengths | kInertias | kZeros;

}  // namespace edit_groups

/// Calls f(values, count) on every field of the groups and on what is derived from them.
template <class Model, class F>
void for_each_field(Model& m, unsigned groups, F f) {
  using namespace edit_groups;
  if ((groups & (kMasses | kFrames | kLengths)) != 0) {
    f(m.body_mass, m.nbody);
    f(m.body_inertia, 3 * m.nbody);
    f(m.body_ipos, 3 * m.nbody);
    f(m.body_iquat, 4 * m.nbody);
  }
  if ((groups & kLengths) != 0) {
    f(m.body_pos, 3 * m.nbody);
    f(m.geom_pos, 3 * m.ngeom);
    f(m.geom_size, 3 * m.ngeom);
    f(m.geom_rbound, m.ngeom);
    if constexpr (requires { m.geom_aabb; }) f(m.geom_aabb, 6 * m.ngeom);
    f(m.site_pos, 3 * m.nsite);
    f(m.jnt_pos, 3 * m.njnt);
  }
  if ((groups & kContacts) != 0) {
    f(m.geom_friction, 3 * m.ngeom);
    f(m.pair_friction, 5 * m.npair);
  }
  if ((groups & kJoints) != 0) {
    f(m.dof_damping, m.nv);
    f(m.dof_frictionloss, m.nv);
    f(m.jnt_stiffness, m.njnt);
    f(m.tendon_damping, m.ntendon);
    f(m.tendon_frictionloss, m.ntendon);
    f(m.tendon_stiffness, m.ntendon);
  }
  if ((groups & kInertias) != 0) f(m.dof_armature, m.nv);
  if ((groups & kActuators) != 0) {
    f(m.actuator_gainprm, mjNGAIN * m.nu);
    f(m.actuator_biasprm, mjNBIAS * m.nu);
    f(m.actuator_forcerange, 2 * m.nu);
  }
  if ((groups & kOptions) != 0) {
    f(m.opt.gravity, 3);
    f(m.opt.wind, 3);
  }
  if ((groups & kZeros) != 0) f(m.qpos0, m.nq);
  if ((groups & kConstants) == 0) return;
  f(m.body_subtreemass, m.nbody);
  f(m.body_invweight0, 2 * m.nbody);
  f(m.dof_M0, m.nv);
  f(m.dof_invweight0, m.nv);
  f(m.tendon_length0, m.ntendon);
  f(m.tendon_lengthspring, kSpringNumbers * m.ntendon);
  f(m.tendon_invweight0, m.ntendon);
  f(m.actuator_acc0, m.nu);
  f(m.actuator_length0, m.nu);
  f(m.eq_data, mjNEQDATA * m.neq);
  f(m.cam_poscom0, 3 * m.ncam);
  f(m.cam_pos0, 3 * m.ncam);
  f(m.cam_mat0, 9 * m.ncam);
  f(m.light_poscom0, 3 * m.nlight);
  f(m.light_pos0, 3 * m.nlight);
  f(m.light_dir0, 3 * m.nlight);
  static_assert(sizeof(mjStatistic) == 7 * sizeof(mjtNum) && sizeof(mjtNum) == sizeof(double));
  f(&m.stat.meaninertia, 7);
}

inline void read_fields(const mjModel& model, unsigned groups, std::vector<double>& out) {
  out.clear();
  for_each_field(model, groups, [&](const double* x, int n) { out.insert(out.end(), x, x + n); });
}

inline void write_fields(mjModel& model, unsigned groups, const std::vector<double>& patch) {
  const double* from = patch.data();
  for_each_field(model, groups, [&](double* x, int n) {
    std::copy_n(from, n, x);
    from += n;
  });
  assert(from == patch.data() + patch.size());
}

}  // namespace bpo
