// Two compiled models compared in every field, and by the motion that follows.
#pragma once

#include <gtest/gtest.h>
#include <mujoco/mjxmacro.h>
#include <mujoco/mujoco.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <string_view>

#include "bpo/core/rng.h"
#include "bpo/problems/mujoco/versions.h"

namespace bpo::test {

template <class T>
void expect_near(const char* field, const T* a, const T* b, int n, double tolerance) {
  double scale = 0.0;
  for (int i = 0; i < n; ++i) scale = std::max(scale, std::abs(static_cast<double>(b[i])));
  for (int i = 0; i < n; ++i) {
    const double difference = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    ASSERT_LE(difference, tolerance * scale)
        << field << "[" << i << "]: " << +a[i] << ", " << +b[i];
  }
}

/// Since version 3 MuJoCo's solver stops sooner than lanes do: it is told to go on.
template <class Option>
void sharpen(Option& o) {
  if constexpr (requires { o.ls_tolerance; }) {
    o.tolerance = 0.0;
    o.ls_tolerance = 1e-9;
  }
}

/// Every array of the model but those named, whatever it is; names do not matter to physics but are
/// equal too. A joint's length is only for bodies that sleep, and no robot's may.
inline void expect_same_model(const mjModel* a, const mjModel* b,
                              const std::set<std::string>& but = {}, double tolerance = 1e-12) {
  MJMODEL_POINTERS_PREAMBLE(a)
#define X(type, name, rows, columns)                                     \
  if (!but.contains(#name) && std::string_view(#name) != "dof_length") { \
    ASSERT_EQ(a->rows, b->rows) << #name;                                \
    expect_near(#name, a->name, b->name, a->rows*(columns), tolerance);  \
    if (testing::Test::HasFatalFailure()) return;                        \
  }
  MJMODEL_POINTERS
#undef X
  static_cast<void>(std::array{nuser_body, nuser_jnt, nuser_geom, nuser_site, nuser_cam,
                               nuser_tendon, nuser_actuator, nuser_sensor, nq, nv, na, nu, nmocap});
  const bool old = mjVERSION_HEADER < 300;  // since then only what the solver uses is derived anew
  expect_near("stat", &a->stat.meaninertia, &b->stat.meaninertia, old ? 4 : 2, tolerance);
  if (old) expect_near("stat.center", a->stat.center, b->stat.center, 3, tolerance);
  expect_near("gravity", a->opt.gravity, b->opt.gravity, 3, tolerance);
  expect_near("wind", a->opt.wind, b->opt.wind, 3, tolerance);
  EXPECT_EQ(a->opt.timestep, b->opt.timestep);
}

inline Eigen::Matrix3d moments(const mjModel& m, int b) {
  Eigen::Matrix<double, 3, 3, Eigen::RowMajor> turn;
  mju_quat2Mat(turn.data(), m.body_iquat + 4 * b);
  return turn * Eigen::Map<const Eigen::Vector3d>(m.body_inertia + 3 * b).asDiagonal() *
         turn.transpose();
}

/// MuJoCo's principal axes of inertia are good to about 1e-7, and so is what follows from them.
inline constexpr double kAxes = 3e-6;

inline void expect_recompiled(const mjModel& a, const mjModel& b, double tolerance = 1e-10) {
  // Flags and boxes only save work, and edited models do without; axes of inertia that are equally
  // good may be others.
  expect_same_model(&a, &b,
                    {"body_simple", "body_sameframe", "geom_sameframe", "site_sameframe",
                     "dof_simplenum", "body_iquat", "body_inertia", "bvh_aabb"},
                    tolerance);
  for (int i = 1; i < a.nbody; ++i) {
    EXPECT_LE((moments(a, i) - moments(b, i)).norm(), tolerance * moments(b, i).norm()) << i;
    if (kFlagsSayAll) {
      EXPECT_LE(a.body_sameframe[i], b.body_sameframe[i]);
    }
    EXPECT_LE(a.body_simple[i], b.body_simple[i]);
  }
}

inline void expect_same_motion(const mjModel& a, const mjModel& b) {
  mjData *x = mj_makeData(&a), *y = mj_makeData(&b);
  Rng rng(3, Use::kState, 0);
  for (int i = 0; i < a.nv; ++i) x->qvel[i] = y->qvel[i] = rng.normal();
  std::copy_n(x->qpos, a.nq, y->qpos);
  for (int t = 0; t < 100; ++t) {
    for (int i = 0; i < a.nu; ++i) x->ctrl[i] = y->ctrl[i] = rng.normal();
    mj_step(&a, x);
    mj_step(&b, y);
  }
  for (int i = 0; i < a.nq; ++i) EXPECT_NEAR(x->qpos[i], y->qpos[i], 1e-5) << i;
  mj_deleteData(x);
  mj_deleteData(y);
}

}  // namespace bpo::test
