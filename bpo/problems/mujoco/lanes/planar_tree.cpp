#include "bpo/problems/mujoco/lanes/planar_tree.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace bpo::lanes {
namespace {

using namespace planar;

bool read_joints(const mjModel& m, PlanarTree& tree) {
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
        pos[0] != 0.0 || pos[1] != 0.0 || pos[2] != 0.0 ||
        !read_dof(m, j, j <= 2 ? j - 1 : tree.parent[j - 2] + 2, tree)) {
      return false;
    }
    if (slide) tree.slides[j] = {axis[tree.axes[0]], axis[tree.axes[1]]};
  }
  return true;
}

/// The drag that MuJoCo gives a body in a fluid: that of a box with the same inertia.
bool read_fluid(const mjModel& m, const PlanarTree& tree, int body, const mjtNum* rotation,
                double* out) {
  int out_of_plane = -1;
  for (int k = 0; k < 3; ++k) {
    if (std::abs(rotation[3 * tree.normal + k]) > 1.0 - 1e-12) out_of_plane = k;
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
  out[kSide] = rotation[3 * tree.axes[0] + first];
  out[kSide + 1] = rotation[3 * tree.axes[1] + first];
  out[kDrag] = 3.0 * std::numbers::pi * width * m.opt.viscosity;
  out[kDrag + 1] = std::numbers::pi * width * width * width * m.opt.viscosity;
  out[kSquareDrag] = 0.5 * density * b * c;
  out[kSquareDrag + 1] = 0.5 * density * a * c;
  out[kSquareDrag + 2] = density * c * (a * a * a * a + b * b * b * b) / 64.0;
  return true;
}

bool read_bodies(const mjModel& m, const PlanarTree& tree, double* out) {
  for (int b = 0; b < tree.bodies; ++b, out += kPerBody) {
    const int body = b + 1;
    std::array<mjtNum, 9> rotation;
    mju_quat2Mat(rotation.data(), m.body_iquat + 4 * body);
    for (int k = 0; k < 2; ++k) {
      out[kOffset + k] = m.body_pos[3 * body + tree.axes[k]];
      out[kCentre + k] = m.body_ipos[3 * body + tree.axes[k]];
    }
    out[kMass] = m.body_mass[body];
    for (int k = 0; k < 3; ++k) {
      const double along = rotation[3 * tree.normal + k];
      out[kInertia] += m.body_inertia[3 * body + k] * along * along;
    }
    out[kJointInverseInertia] = m.dof_invweight0[b + 2];
    if (tree.fluid && !read_fluid(m, tree, body, rotation.data(), out)) return false;
  }
  return true;
}

bool read_capsules(const mjModel& m, const PlanarTree& tree, double* out) {
  for (int g = 0; g < m.ngeom; ++g) {
    if (m.geom_type[g] == mjGEOM_PLANE) continue;
    const Ends ends = ends_of(m, g);
    if (m.geom_pos[3 * g + tree.normal] != 0.0 || std::abs(ends.to[tree.normal]) > 1e-12) {
      return false;
    }
    for (int k = 0; k < 2; ++k) {
      out[kFrom + k] = ends.from[tree.axes[k]];
      out[kTo + k] = ends.to[tree.axes[k]];
    }
    out[kRadius] = m.geom_size[3 * g];
    out[kContactInverseInertia] = m.body_invweight0[2 * m.geom_bodyid[g]];
    out += kPerCapsule;
  }
  return true;
}

}  // namespace

bool read_planar(const mjModel& m, PlanarTree& tree) {
  if (m.nv != m.nbody + 1 || m.nq != m.nv || m.njnt != m.nv || !read_common(m, tree) ||
      !read_joints(m, tree)) {
    return false;
  }
  const auto up = std::find(tree.axes.begin(), tree.axes.end(), 2);
  tree.up = static_cast<int>(up - tree.axes.begin());
  if (up == tree.axes.end() && std::any_of(tree.capsules.begin(), tree.capsules.end(),
                                           [](const Capsule& c) { return c.meets_floor; })) {
    return false;
  }
  tree.fluid = m.opt.density > 0.0 || m.opt.viscosity > 0.0;
  return true;
}

bool read_planar_numbers(const mjModel& m, const PlanarTree& tree, std::vector<double>& numbers) {
  numbers.assign(kPerBody * tree.bodies + kPerCapsule * tree.capsules.size(), 0.0);
  return read_bodies(m, tree, numbers.data()) &&
         read_capsules(m, tree, numbers.data() + kPerBody * tree.bodies);
}

}  // namespace bpo::lanes
