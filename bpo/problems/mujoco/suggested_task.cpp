#include "bpo/problems/mujoco/suggested_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace bpo {
namespace {

constexpr double kPushed = 0.05, kFallen = 0.5;  // what falls over: so far off after a small push
constexpr double kSeconds = 2.0;

bool is_hinge_or_slide(const mjModel& m, int joint) {
  return m.jnt_type[joint] == mjJNT_HINGE || m.jnt_type[joint] == mjJNT_SLIDE;
}

/// The body that a part of a tendon's path is on; -1 for what is nowhere, as a pulley.
int wrapped_body(const mjModel& m, int wrap) {
  const int id = m.wrap_objid[wrap];
  switch (m.wrap_type[wrap]) {
    case mjWRAP_SITE:
      return m.site_bodyid[id];
    case mjWRAP_SPHERE:
    case mjWRAP_CYLINDER:
      return m.geom_bodyid[id];
    default:
      return -1;
  }
}

/// Whether the tendon is of the joint, or its path has parts that the joint moves and others that
/// it does not.
bool pulls(const mjModel& m, int tendon, int joint) {
  bool moved = false, fixed = false;
  for (int w = m.tendon_adr[tendon]; w < m.tendon_adr[tendon] + m.tendon_num[tendon]; ++w) {
    if (m.wrap_type[w] == mjWRAP_JOINT && m.wrap_objid[w] == joint) return true;
    int body = wrapped_body(m, w);
    if (body < 0) continue;
    while (body > 0 && body != m.jnt_bodyid[joint]) body = m.body_parentid[body];
    (body > 0 ? moved : fixed) = true;
  }
  return moved && fixed;
}

/// Whether an actuator moves the joint, itself or by a tendon, or another joint leads it.
bool is_driven(const mjModel& m, int joint) {
  for (int i = 0; i < m.nu; ++i) {
    const int of = m.actuator_trnid[2 * i];
    if (m.actuator_trntype[i] == mjTRN_JOINT || m.actuator_trntype[i] == mjTRN_JOINTINPARENT) {
      if (of == joint) return true;
    } else if (m.actuator_trntype[i] == mjTRN_TENDON && pulls(m, of, joint)) {
      return true;
    }
  }
  for (int e = 0; e < m.neq; ++e) {
    if (m.eq_type[e] == mjEQ_JOINT && m.eq_obj1id[e] == joint) return true;
  }
  return false;
}

/// Joints of one number with a name, driven or not.
std::vector<int> joints_of(const mjModel& m, bool driven) {
  std::vector<int> out;
  for (int j = 0; j < m.njnt; ++j) {
    if (is_hinge_or_slide(m, j) && is_driven(m, j) == driven && !named(m, mjOBJ_JOINT, j).empty()) {
      out.push_back(j);
    }
  }
  return out;
}

double& place(const mjModel& m, std::vector<double>& x, int joint) {
  return x[static_cast<std::size_t>(m.jnt_qposadr[joint])];
}

/// Loose joints that do not stay where they are when nobody does anything.
std::vector<int> falling(Sim& sim, std::vector<double> start) {
  const mjModel& m = sim.model();
  std::vector<int> out = joints_of(m, false);
  std::vector<double> x = start;
  for (const int j : out) place(m, x, j) += kPushed;
  const std::vector<float> nothing(static_cast<std::size_t>(m.nu), 0.0f);
  if (!sim.advance(x, nothing, static_cast<int>(std::lround(kSeconds / m.opt.timestep)))) return {};
  std::erase_if(out,
                [&](int j) { return std::abs(place(m, x, j) - place(m, start, j)) < kFallen; });
  return out;
}

std::string square(const mjModel& m, int joint, double target, double weight) {
  const std::string name = toml_quoted(named(m, mjOBJ_JOINT, joint));
  return fmt::format(
      "{0} = {{ kind = \"joint\", joint = {0}, target = {1:.3g}, power = 2.0, weight = {2} }}\n",
      name, target, weight);
}
std::string limits(const mjModel& m, int joint, double low, double high) {
  const std::string name = toml_quoted(named(m, mjOBJ_JOINT, joint));
  return fmt::format("{0} = {{ kind = \"joint\", joint = {0}, min = {1:.3g}, max = {2:.3g} }}\n",
                     name, low, high);
}

SuggestedTask balance(const mjModel& m, std::vector<double> start, const std::vector<int>& loose) {
  SuggestedTask out{.reward = "alive = 1.0\n", .terminate = "", .falls_at_once = true};
  for (const int j : loose) {
    constexpr double kFar = 0.8;
    const double at = place(m, start, j);
    out.reward += square(m, j, at, -1.0);
    out.terminate += limits(m, j, at - kFar, at + kFar);
  }
  for (const int j : joints_of(m, true)) {
    if (m.jnt_type[j] != mjJNT_SLIDE || !m.jnt_limited[j]) continue;
    const double low = m.jnt_range[2 * j], high = m.jnt_range[2 * j + 1];
    out.reward += square(m, j, 0.5 * (low + high), -0.3);
    out.terminate += limits(m, j, low + 0.05 * (high - low), high - 0.05 * (high - low));
  }
  return out;
}

SuggestedTask forward(Sim& sim, const std::vector<double>& start, int trunk) {
  constexpr double kHigh = 0.1;  // m: below, it lies or swims
  const mjModel& m = sim.model();
  const std::string body = toml_quoted(named(m, mjOBJ_BODY, trunk));
  SuggestedTask out{
      .reward = fmt::format("forward = {{ body = {}, axis = \"x\", weight = 1.0 }}\n", body)};
  sim.look(start, std::vector<float>(static_cast<std::size_t>(m.nu), 0.0f), false);
  const double height = sim.data().xpos[3 * trunk + 2];
  if (height < kHigh) return out;
  out.reward += "alive = 1.0\n";
  out.terminate = fmt::format("height = {{ body = {}, min = {:.2g} }}\n", body, 0.6 * height);
  if (m.jnt_type[0] == mjJNT_FREE && sim.data().xmat[9 * trunk + 8] > 0.9) {
    out.terminate += fmt::format("fallen = {{ kind = \"upright\", body = {}, min = 0.5 }}\n", body);
  }
  for (const int j : joints_of(m, false)) {
    if (m.jnt_type[j] != mjJNT_HINGE || m.jnt_limited[j] || m.jnt_bodyid[j] != trunk) continue;
    std::vector<double> x = start;
    out.terminate += limits(m, j, place(m, x, j) - 0.8, place(m, x, j) + 0.8);
  }
  return out;
}

/// The last site or body with a name that moves to where joints are turned by a part of their
/// range.
SuggestedTask reach(Sim& sim, const std::vector<double>& start) {
  const mjModel& m = sim.model();
  const std::vector<float> nothing(static_cast<std::size_t>(m.nu), 0.0f);
  std::vector<double> there = start;
  for (const int j : joints_of(m, true)) {
    const double low = m.jnt_range[2 * j], high = m.jnt_range[2 * j + 1];
    double& x = place(m, there, j);
    x = m.jnt_limited[j] ? x + 0.5 * (0.25 * low + 0.75 * high - x) : x + 0.5;
  }
  sim.look(start, nothing, false);
  const std::vector<double> sites(sim.data().site_xpos, sim.data().site_xpos + 3 * m.nsite),
      bodies(sim.data().xpos, sim.data().xpos + 3 * m.nbody);
  sim.look(there, nothing, false);
  const auto line = [&](const char* kind, int type, int id, const double* from, const double* to) {
    const std::string name = named(m, type, id);
    return name.empty() || mju_dist3(from, to) < 0.02
               ? ""
               : fmt::format(
                     "reach = {{ kind = \"position\", {} = {}, to = [{:.3g}, {:.3g}, {:.3g}], "
                     "weight = -1.0 }}\n",
                     kind, toml_quoted(name), to[0], to[1], to[2]);
  };
  std::string found;
  for (int i = m.nsite; i-- > 0 && found.empty();) {
    found = line("site", mjOBJ_SITE, i, sites.data() + 3 * i, sim.data().site_xpos + 3 * i);
  }
  for (int i = m.nbody; i-- > 1 && found.empty();) {
    found = line("body", mjOBJ_BODY, i, bodies.data() + 3 * i, sim.data().xpos + 3 * i);
  }
  if (!found.empty()) return {.reward = found, .terminate = ""};
  for (const int j : joints_of(m, true)) found += square(m, j, place(m, there, j), -1.0);
  if (found.empty()) found = "# nothing that moves has a name: name what is to be rewarded\n";
  return {.reward = found, .terminate = ""};
}

}  // namespace

SuggestedTask suggested_task(Sim& sim, const std::vector<double>& start, int trunk) {
  if (floats(sim.model(), trunk)) return forward(sim, start, trunk);
  if (const auto loose = falling(sim, start); !loose.empty()) {
    return balance(sim.model(), start, loose);
  }
  return reach(sim, start);
}

bool floats(const mjModel& m, int trunk) {
  if (trunk < 0 || m.body_rootid[trunk] != m.body_rootid[m.jnt_bodyid[0]]) return false;
  const bool flat = m.njnt > 1 && m.jnt_type[0] == mjJNT_SLIDE && m.jnt_type[1] == mjJNT_SLIDE;
  return m.jnt_type[0] == mjJNT_FREE || (flat && !is_driven(m, 0) && !is_driven(m, 1));
}

std::string named(const mjModel& m, int type, int id) {
  const char* name = mj_id2name(&m, type, id);
  return name == nullptr ? "" : name;
}

std::string toml_quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

}  // namespace bpo
