#include "bpo/problems/mujoco/lanes/spatial_tree.h"

#include <algorithm>

namespace bpo::lanes {
namespace {

using namespace spatial;

bool read_body(const mjModel& m, int b, SpatialTree& tree) {
  const int body = b + 1, joint = m.body_jntadr[body], joints = m.body_jntnum[body];
  const int parent = tree.parent[b];
  int last = parent < 0 ? -1 : tree.last[parent];
  tree.hinge.push_back(-1);
  tree.axis.emplace_back();
  if (b == 0) {
    if (joints != 1 || m.jnt_type[joint] != mjJNT_FREE || m.jnt_stiffness[joint] != 0.0) {
      return false;
    }
    for (; last < 5; ++last) {
      if (!read_dof(m, joint, last, tree)) return false;
    }
  } else if (joints == 1) {
    const mjtNum *axis = m.jnt_axis + 3 * joint, *pos = m.jnt_pos + 3 * joint;
    if (m.jnt_type[joint] != mjJNT_HINGE || pos[0] != 0.0 || pos[1] != 0.0 || pos[2] != 0.0 ||
        !read_dof(m, joint, last, tree)) {
      return false;
    }
    last = tree.hinge[b] = tree.dofs - 1;
    std::copy_n(axis, 3, tree.axis[b].data());
  } else if (joints > 1) {
    return false;
  }
  tree.last.push_back(last);
  return true;
}

}  // namespace

bool read_spatial(const mjModel& m, SpatialTree& tree) {
  if (!read_common(m, tree) || !tree.pairs.empty() || m.opt.density > 0.0 ||
      m.opt.viscosity > 0.0) {
    return false;
  }
  for (int b = 0; b < tree.bodies; ++b) {
    if (!read_body(m, b, tree)) return false;
  }
  return true;
}

bool read_spatial_numbers(const mjModel& m, const SpatialTree& tree, std::vector<double>& numbers) {
  numbers.assign(kPerBody * tree.bodies + kPerCapsule * tree.capsules.size(), 0.0);
  double* out = numbers.data();
  std::array<mjtNum, 9> rotation;
  for (int b = 0; b < tree.bodies; ++b, out += kPerBody) {
    const int body = b + 1;
    std::copy_n(m.body_pos + 3 * body, 3, out + kOffset);
    std::copy_n(m.body_ipos + 3 * body, 3, out + kCentre);
    out[kMass] = m.body_mass[body];
    mju_quat2Mat(rotation.data(), m.body_iquat + 4 * body);
    constexpr std::array<std::array<int, 2>, 6> kEntries = {
        {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}}};
    for (std::size_t e = 0; e < kEntries.size(); ++e) {
      const auto [i, j] = kEntries[e];
      for (int k = 0; k < 3; ++k) {
        out[kInertia + e] +=
            rotation[3 * i + k] * m.body_inertia[3 * body + k] * rotation[3 * j + k];
      }
    }
    if (tree.hinge[b] >= 0) out[kJointInverseInertia] = m.dof_invweight0[tree.hinge[b]];
  }
  for (int g = 0; g < m.ngeom; ++g) {
    if (m.geom_type[g] == mjGEOM_PLANE) continue;
    const Ends ends = ends_of(m, g);
    std::copy(ends.from.begin(), ends.from.end(), out + kFrom);
    std::copy(ends.to.begin(), ends.to.end(), out + kTo);
    out[kRadius] = m.geom_size[3 * g];
    out[kContactInverseInertia] = m.body_invweight0[2 * m.geom_bodyid[g]];
    out += kPerCapsule;
  }
  return true;
}

}  // namespace bpo::lanes
