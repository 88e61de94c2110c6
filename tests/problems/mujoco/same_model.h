// Two compiled models compared in every field.
#pragma once

#include <gtest/gtest.h>
#include <mujoco/mjxmacro.h>
#include <mujoco/mujoco.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <string_view>

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

}  // namespace bpo::test
