#include "bpo/problems/mujoco/edit_parts.h"

#include <fmt/format.h>

#include "bpo/core/error.h"

namespace bpo::edit_parts {

using M = mjModel;
using T = EditTarget;

namespace {

mjtNum* gain(const M& m, const T& t) { return m.actuator_gainprm + mjNGAIN * t.id; }
mjtNum* bias(const M& m, const T& t) { return m.actuator_biasprm + mjNBIAS * t.id; }
bool is_position_servo(const M& m, const T& t) {
  return m.actuator_gaintype[t.id] == mjGAIN_FIXED && m.actuator_biastype[t.id] == mjBIAS_AFFINE &&
         bias(m, t)[1] == -gain(m, t)[0];
}
bool is_velocity_servo(const M& m, const T& t) {
  return m.actuator_gaintype[t.id] == mjGAIN_FIXED && m.actuator_biastype[t.id] == mjBIAS_AFFINE &&
         bias(m, t)[1] == 0.0 && bias(m, t)[2] == -gain(m, t)[0];
}

}  // namespace

double at_least(double least, bool itself, double value, const char* what, const T& t) {
  if (value > least || (itself && value == least)) return value;
  throw bad_input(fmt::format("{} of '{}' would be {:.6g}; it must be {} {}", what, t.name, value,
                              itself ? "at least" : "above", least));
}

[[noreturn]] void unsuited(const char* what, const T& t, const char* why) {
  throw bad_input(fmt::format("{} of '{}': {}", what, t.name, why));
}

double get_strength(const M& m, const T& t, const Edit&) {
  if (m.actuator_gaintype[t.id] == mjGAIN_USER || m.actuator_biastype[t.id] == mjBIAS_USER) {
    unsuited("strength", t, "its force is a function of the user's own");
  }
  return 1.0;
}
void set_strength(M& m, const T& t, const Edit&, double f) {
  no_less(f, "strength", t);
  const bool muscle = m.actuator_gaintype[t.id] == mjGAIN_MUSCLE;
  // A muscle's peak force is its third number or, where that is negative, follows from the fourth.
  for (mjtNum* p : {gain(m, t), bias(m, t)}) {
    if (muscle) {
      (p[2] < 0.0 ? p[3] : p[2]) *= f;
    } else {
      mju_scl3(p, p, f);
    }
  }
}

double get_kp(const M& m, const T& t, const Edit&) {
  if (is_position_servo(m, t)) return gain(m, t)[0];
  unsuited("kp", t, "it is no position servo; strength scales any actuator");
}
void set_kp(M& m, const T& t, const Edit&, double kp) {
  gain(m, t)[0] = no_less(kp, "kp", t);
  bias(m, t)[1] = -kp;
}
double get_kd(const M& m, const T& t, const Edit&) {
  if (is_position_servo(m, t) || is_velocity_servo(m, t)) return -bias(m, t)[2];
  unsuited("kd", t, "it is no position or velocity servo; damping is a joint's");
}
void set_kd(M& m, const T& t, const Edit&, double kd) {
  if (is_velocity_servo(m, t)) gain(m, t)[0] = kd;
  bias(m, t)[2] = -no_less(kd, "kd", t);
}

double get_limit(const M& m, const T& t, const Edit&) {
  if (m.actuator_forcelimited[t.id]) return m.actuator_forcerange[2 * t.id + 1];
  unsuited("force_limit", t, "it has no forcerange");
}
void set_limit(M& m, const T& t, const Edit&, double high) {
  mjtNum* range = m.actuator_forcerange + 2 * t.id;
  if (!(range[1] > 0.0)) unsuited("force_limit", t, "its forcerange does not end above 0");
  range[0] *= positive(high, "force_limit", t) / range[1];
  range[1] = high;
}

}  // namespace bpo::edit_parts
