#include "bpo/problems/mujoco/stretch.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <numbers>
#include <vector>

#include "bpo/core/error.h"
#include "bpo/problems/mujoco/versions.h"

namespace bpo {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using RowMatrix3d = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

struct Inertial {
  double mass = 0.0;
  Vector3d centre = Vector3d::Zero();
  Matrix3d moments = Matrix3d::Zero();  // about the centre, in the body's frame
};

Matrix3d rotation(const mjtNum* quat) {
  RowMatrix3d out;
  mju_quat2Mat(out.data(), quat);
  return out;
}

/// The moments of a mass at distance d from the point they are about.
Matrix3d of_point(double mass, const Vector3d& d) {
  return mass * (d.squaredNorm() * Matrix3d::Identity() - d * d.transpose());
}

double volume_of(const mjModel& m, int g) {
  const mjtNum* s = m.geom_size + 3 * g;
  constexpr double kBall = 4.0 / 3.0 * std::numbers::pi;
  switch (m.geom_type[g]) {
    case mjGEOM_SPHERE:
      return kBall * s[0] * s[0] * s[0];
    case mjGEOM_CAPSULE:
      return kBall * s[0] * s[0] * s[0] + 2.0 * std::numbers::pi * s[0] * s[0] * s[1];
    case mjGEOM_CYLINDER:
      return 2.0 * std::numbers::pi * s[0] * s[0] * s[1];
    case mjGEOM_ELLIPSOID:
      return kBall * s[0] * s[1] * s[2];
    case mjGEOM_BOX:
      return 8.0 * s[0] * s[1] * s[2];
    default:
      return 0.0;
  }
}

/// The principal moments of a shape of mass 1.
Vector3d unit_moments(const mjModel& m, int g) {
  const mjtNum* s = m.geom_size + 3 * g;
  const double r2 = s[0] * s[0], height = 2.0 * s[1];
  switch (m.geom_type[g]) {
    case mjGEOM_SPHERE:
      return Vector3d::Constant(0.4 * r2);
    case mjGEOM_CAPSULE: {  // a cylinder between two halves of a ball
      const double ball = 4.0 * s[0] / (4.0 * s[0] + 3.0 * height), rod = 1.0 - ball;
      const double across = rod * (3.0 * r2 + height * height) / 12.0 + 0.4 * ball * r2 +
                            ball * height * (3.0 * s[0] + 2.0 * height) / 8.0;
      return {across, across, 0.5 * rod * r2 + 0.4 * ball * r2};
    }
    case mjGEOM_CYLINDER: {
      const double across = (3.0 * r2 + height * height) / 12.0;
      return {across, across, 0.5 * r2};
    }
    default: {
      const double share = m.geom_type[g] == mjGEOM_BOX ? 1.0 / 3.0 : 1.0 / 5.0;
      const double a = r2, b = s[1] * s[1], c = s[2] * s[2];
      return share * Vector3d(b + c, a + c, a + b);
    }
  }
}

Inertial inertial_of(const mjModel& m, const std::vector<int>& shapes, double density) {
  Inertial out;
  const auto place = [&](int g) {
    return Vector3d(Eigen::Map<const Vector3d>(m.geom_pos + 3 * g));
  };
  for (const int g : shapes) {
    const double mass = density * volume_of(m, g);
    out.mass += mass;
    out.centre += mass * place(g);
  }
  out.centre /= out.mass;
  for (const int g : shapes) {
    const double mass = density * volume_of(m, g);
    const Matrix3d turn = rotation(m.geom_quat + 4 * g);
    out.moments += mass * turn * unit_moments(m, g).asDiagonal() * turn.transpose() +
                   of_point(mass, place(g) - out.centre);
  }
  return out;
}

Inertial compiled_inertial(const mjModel& m, int body) {
  const Matrix3d turn = rotation(m.body_iquat + 4 * body);
  return {
      m.body_mass[body], Eigen::Map<const Vector3d>(m.body_ipos + 3 * body),
      turn * Eigen::Map<const Vector3d>(m.body_inertia + 3 * body).asDiagonal() * turn.transpose()};
}

bool alike(const Inertial& a, const Inertial& b) {
  constexpr double kTolerance = 1e-6;  // MuJoCo's eigenvectors are good to about 1e-7
  const double size = std::sqrt(b.moments.norm() / b.mass);
  return (a.centre - b.centre).norm() <= kTolerance * (size + b.centre.norm()) &&
         (a.moments - b.moments).norm() <= kTolerance * b.moments.norm();
}

/// The shapes that give the body its mass at one density: all, or those that can touch anything.
std::vector<int> weighing_shapes(const mjModel& m, int body) {
  const Inertial compiled = compiled_inertial(m, body);
  for (const bool touching : {false, true}) {
    std::vector<int> shapes;
    double volume = 0.0;
    for (int k = 0; k < m.body_geomnum[body]; ++k) {
      const int g = m.body_geomadr[body] + k;
      if (volume_of(m, g) == 0.0) continue;
      if (touching && m.geom_contype[g] == 0 && m.geom_conaffinity[g] == 0) continue;
      shapes.push_back(g);
      volume += volume_of(m, g);
    }
    if (shapes.empty() || !(compiled.mass > mjMINVAL)) continue;
    if (alike(inertial_of(m, shapes, compiled.mass / volume), compiled)) return shapes;
  }
  return {};
}

void write_inertial(mjModel& m, int body, const Inertial& inertial) {
  RowMatrix3d moments = inertial.moments, axes;
  mju_eig3(m.body_inertia + 3 * body, axes.data(), m.body_iquat + 4 * body, moments.data());
  m.body_mass[body] = inertial.mass;
  std::copy_n(inertial.centre.data(), 3, m.body_ipos + 3 * body);
}

void stretch_shape(mjModel& m, int body, int g, double f) {
  mjtNum* size = m.geom_size + 3 * g;
  double& bound = m.geom_rbound[g];
  switch (m.geom_type[g]) {
    case mjGEOM_SPHERE:
      break;
    case mjGEOM_CAPSULE:
      size[1] *= f;
      bound = size[0] + size[1];
      set_box(m, g, size[0], size[0], bound);
      break;
    case mjGEOM_CYLINDER:
      size[1] *= f;
      bound = std::sqrt(size[0] * size[0] + size[1] * size[1]);
      set_box(m, g, size[0], size[0], size[1]);
      break;
    case mjGEOM_ELLIPSOID:
    case mjGEOM_BOX:
      *std::max_element(size, size + 3) *= f;
      bound = m.geom_type[g] == mjGEOM_BOX ? mju_norm3(size) : *std::max_element(size, size + 3);
      set_box(m, g, size[0], size[1], size[2]);
      break;
    default:
      throw bad_input(
          fmt::format("a shape of body '{}' is a mesh, plane or height field, and only "
                      "capsules, balls, cylinders, boxes and ellipsoids can be made "
                      "longer",
                      m.names + m.name_bodyadr[body]));
  }
}

void scale3(mjtNum* x, double f) { mju_scl3(x, x, f); }

}  // namespace

double weighing_volume(const mjModel& m, int body) {
  double volume = 0.0;
  for (const int g : weighing_shapes(m, body)) volume += volume_of(m, g);
  return volume;
}

void stretch(mjModel& m, int body, double f) {
  const std::vector<int> shapes = weighing_shapes(m, body);
  const double density = shapes.empty() ? 0.0 : m.body_mass[body] / weighing_volume(m, body);
  for (int k = 0; k < m.body_geomnum[body]; ++k) {
    const int g = m.body_geomadr[body] + k;
    stretch_shape(m, body, g, f);
    scale3(m.geom_pos + 3 * g, f);
  }
  for (int s = 0; s < m.nsite; ++s) {
    if (m.site_bodyid[s] == body) scale3(m.site_pos + 3 * s, f);
  }
  for (int j = 0; j < m.njnt; ++j) {
    if (m.jnt_bodyid[j] == body) scale3(m.jnt_pos + 3 * j, f);
  }
  for (int b = body + 1; b < m.nbody; ++b) {
    if (m.body_parentid[b] == body) scale3(m.body_pos + 3 * b, f);
  }
  for (int e = 0; e < m.neq; ++e) {  // an anchor is in the frame of the first body
    if (m.eq_type[e] == mjEQ_CONNECT && m.eq_obj1id[e] == body)
      scale3(m.eq_data + mjNEQDATA * e, f);
  }
  if (shapes.empty()) {
    scale3(m.body_ipos + 3 * body, f);
    m.body_mass[body] *= f;
    scale3(m.body_inertia + 3 * body, f * f * f);
    return;
  }
  const Inertial inertial = inertial_of(m, shapes, density);
  if (shapes.size() > 1) return write_inertial(m, body, inertial);
  m.body_mass[body] = inertial.mass;  // one shape's own axes are the body's
  std::copy_n(m.geom_pos + 3 * shapes[0], 3, m.body_ipos + 3 * body);
  std::copy_n(m.geom_quat + 4 * shapes[0], 4, m.body_iquat + 4 * body);
  for (int k = 0; k < 3; ++k) {
    m.body_inertia[3 * body + k] = inertial.mass * unit_moments(m, shapes[0])[k];
  }
}

void add_point_mass(mjModel& m, int body, double mass, const double* at) {
  if (mass == 0.0) return;
  const Inertial before = compiled_inertial(m, body);
  const Vector3d place = Eigen::Map<const Vector3d>(at);
  Inertial after{.mass = before.mass + mass};
  after.centre = (before.mass * before.centre + mass * place) / after.mass;
  after.moments = before.moments + of_point(before.mass, before.centre - after.centre) +
                  of_point(mass, place - after.centre);
  write_inertial(m, body, after);
}

}  // namespace bpo
