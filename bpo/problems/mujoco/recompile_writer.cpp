#include "bpo/problems/mujoco/recompile_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <numbers>
#include <set>

namespace bpo {
namespace {

using Names = std::set<std::string, std::less<>>;
const Names kActuators{"motor",       "position", "velocity", "damper",
                       "intvelocity", "general",  "muscle"},
    kTendons{"fixed", "spatial"}, kJoints{"joint"}, kBodies{"body"}, kGeoms{"geom"};

const Names& elements_of(int type) {
  return type == mjOBJ_BODY     ? kBodies
         : type == mjOBJ_GEOM   ? kGeoms
         : type == mjOBJ_JOINT  ? kJoints
         : type == mjOBJ_TENDON ? kTendons
                                : kActuators;
}

std::string text_of(std::span<const double> x) { return fmt::format("{:.17g}", fmt::join(x, " ")); }

}  // namespace

std::vector<MjcfFile> RecompileWriter::files() {
  switch (edit_.kind) {
    case EditKind::kDelay:
    case EditKind::kEncoderBias:
      throw NotWritten{"is not of the model"};
    case EditKind::kGravity:
    case EditKind::kWind:
      options();
      break;
    default:
      for (const EditTarget& t : edit_.targets) target(t);
  }
  if (edit_.kind == EditKind::kFriction) pairs();
  return text_.files();
}

MjcfText::Which RecompileWriter::element(const EditTarget& t) const {
  const char* name = mj_id2name(&m_, t.type, t.id);
  if (name != nullptr && *name != '\0') {
    return [type = t.type, called = std::string(name)](const MjcfText::Tags& all, std::size_t i) {
      return elements_of(type).contains(all[i].name) && all[i]["name"] == called &&
             all[i]["joint1"].empty();
    };
  }
  const int body = m_.geom_bodyid[t.id];
  const auto shapes = inside(body, "geom");
  if (static_cast<int>(text_.find(shapes).size()) != m_.body_geomnum[body]) {
    throw NotWritten{fmt::format("'{}' is not found in the MJCF", t.name)};
  }
  const int place = t.id - m_.body_geomadr[body];
  return [shapes, place](const MjcfText::Tags& all, std::size_t i) {
    int before = 0;
    for (std::size_t k = 0; k < i; ++k) before += shapes(all, k);
    return before == place && shapes(all, i);
  };
}

void RecompileWriter::rewrite(const EditTarget& t, const MjcfText::Change& change,
                              const std::string& inside) {
  if (text_.rewrite(element(t), change, inside) != 1) {
    throw NotWritten{fmt::format("'{}' is not found in the MJCF by its name", t.name)};
  }
}

void RecompileWriter::target(const EditTarget& t) {
  const auto attribute = [&](const char* key, const std::string& value) {
    rewrite(t, [&](XmlTag& tag) { put(tag, key, value); });
  };
  switch (edit_.kind) {
    case EditKind::kLength:
      return length(t);
    case EditKind::kDamping:
      return attribute("damping", text_of({{to(t)}}));
    case EditKind::kDryFriction:
      return attribute("frictionloss", text_of({{to(t)}}));
    case EditKind::kStiffness:
      return attribute("stiffness", text_of({{to(t)}}));
    case EditKind::kArmature:
      return attribute("armature", text_of({{to(t)}}));
    case EditKind::kJointZero:
      return attribute("ref", text_of({{to(t) * angle_unit(t)}}));
    case EditKind::kFriction: {
      const mjtNum* f = m_.geom_friction + 3 * t.id;
      return attribute("friction", text_of({{to(t), f[1], f[2]}}));
    }
    case EditKind::kForceLimit: {
      const mjtNum* range = m_.actuator_forcerange + 2 * t.id;
      return attribute("forcerange", text_of({{range[0] * to(t) / range[1], to(t)}}));
    }
    case EditKind::kStrength:
    case EditKind::kKp:
    case EditKind::kKd:
      return actuator(t);
    default:
      return inertia(t);
  }
}

/// How many of the text's units a radian is.
double RecompileWriter::angle_unit(const EditTarget& t) const {
  const bool radian = text_.any([](const MjcfText::Tags& all, std::size_t i) {
    return all[i].name == "compiler" && all[i]["angle"] == "radian";
  });
  return radian || m_.jnt_type[t.id] != mjJNT_HINGE ? 1.0 : 180.0 / std::numbers::pi;
}

/// Any actuator of one gain and bias, told in full.
void RecompileWriter::actuator(const EditTarget& t) {
  const std::unique_ptr<mjModel, decltype(&mj_deleteModel)> copy(mj_copyModel(nullptr, &m_),
                                                                 mj_deleteModel);
  edit_row(edit_.kind).set(*copy, t, edit_, to(t));
  const std::span gain(copy->actuator_gainprm + mjNGAIN * t.id, 4),
      bias(copy->actuator_biasprm + mjNBIAS * t.id, 3);
  if (m_.actuator_gaintype[t.id] == mjGAIN_MUSCLE) {
    return rewrite(t, [&](XmlTag& tag) {
      if (tag.name != "muscle") throw NotWritten{"is a muscle that is not written as <muscle>"};
      const bool given = gain[2] >= 0.0;
      put(tag, given ? "force" : "scale", text_of({{gain[given ? 2 : 3]}}));
    });
  }
  const int dynamics = m_.actuator_dyntype[t.id];
  if (m_.actuator_gaintype[t.id] != mjGAIN_FIXED || m_.actuator_biastype[t.id] > mjBIAS_AFFINE ||
      dynamics > mjDYN_FILTER) {
    throw NotWritten{"is of a kind of actuator that is not written"};
  }
  static constexpr std::array<const char*, 3> kDynamics{"none", "integrator", "filter"};
  rewrite(t, [&](XmlTag& tag) {
    for (const char* key : {"kp", "kv", "dampratio", "timeconst", "inheritrange"})
      put(tag, key, "");
    tag.name = "general";
    put(tag, "gaintype", "fixed");
    put(tag, "gainprm", text_of(gain.first(3)));
    put(tag, "biastype", m_.actuator_biastype[t.id] == mjBIAS_NONE ? "none" : "affine");
    put(tag, "biasprm", text_of(bias));
    put(tag, "dyntype", kDynamics[static_cast<std::size_t>(dynamics)]);
    put(tag, "dynprm", text_of({m_.actuator_dynprm + mjNDYN * t.id, 3}));
    if (m_.actuator_ctrllimited[t.id]) {
      put(tag, "ctrlrange", text_of({m_.actuator_ctrlrange + 2 * t.id, 2}));
    }
  });
}

void RecompileWriter::options() {
  const bool wind = edit_.kind == EditKind::kWind;
  std::array<double, 3> v{};
  std::copy_n(wind ? m_.opt.wind : m_.opt.gravity, 3, v.begin());
  const double now = nominal_value(m_, edit_, edit_.targets[0]), then = to(edit_.targets[0]);
  if (edit_.axis) {
    v[static_cast<std::size_t>(*edit_.axis)] = then;
  } else {
    for (double& x : v) x *= then / now;
  }
  const char* key = wind ? "wind" : "gravity";
  if (text_.rewrite(called("option"), [&](XmlTag& tag) { put(tag, key, text_of(v)); }) > 0) return;
  text_.rewrite(
      called("mujoco"), [](XmlTag&) {}, fmt::format("<option {}=\"{}\"/>", key, text_of(v)));
}

/// Pairs that have a friction of their own; before version 3 of MuJoCo that is all of them.
void RecompileWriter::pairs() {
  const auto own = [](const MjcfText::Tags& all, std::size_t i) {
    return all[i].name == "pair" && (mjVERSION_HEADER < 300 || !all[i]["friction"].empty());
  };
  const auto written = [&](const MjcfText::Tags& all, std::size_t i) {
    return own(all, i) && !is_within(all, i, "default");
  };
  if (mjVERSION_HEADER >= 300 && text_.any([&](const MjcfText::Tags& all, std::size_t i) {
        return own(all, i) && is_within(all, i, "default");
      })) {
    throw NotWritten{"pairs have their friction by default"};
  }
  text_.rewrite(written, [&](XmlTag& tag) {
    for (int i = 0; i < m_.npair; ++i) {
      const int a = mj_name2id(&m_, mjOBJ_GEOM, tag["geom1"].c_str()),
                b = mj_name2id(&m_, mjOBJ_GEOM, tag["geom2"].c_str());
      if (std::minmax(a, b) != std::minmax(m_.pair_geom1[i], m_.pair_geom2[i])) continue;
      if (std::none_of(edit_.targets.begin(), edit_.targets.end(),
                       [&](const EditTarget& t) { return t.id == a || t.id == b; })) {
        continue;
      }
      std::array<double, 5> friction{};
      std::copy_n(m_.pair_friction + 5 * i, 5, friction.begin());
      for (std::size_t k = 0; k < 2; ++k) friction[k] = changed(edit_.op, friction[k], value_);
      put(tag, "friction", text_of(friction));
    }
  });
}

}  // namespace bpo
