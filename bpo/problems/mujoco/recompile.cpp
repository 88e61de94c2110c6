#include "bpo/problems/mujoco/recompile.h"

#include <fmt/format.h>
#include <mujoco/mjxmacro.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <set>
#include <string_view>

#include "bpo/core/error.h"

namespace bpo {
namespace {

/// Thrown inside: this cannot be written into the text.
struct NotWritten {
  std::string why;
};

using Names = std::set<std::string, std::less<>>;
const Names kActuators{"motor", "position", "velocity", "damper", "intvelocity", "general"},
    kTendons{"fixed", "spatial"}, kJoints{"joint"}, kBodies{"body"}, kGeoms{"geom"};

const Names& elements_of(int type) {
  return type == mjOBJ_BODY     ? kBodies
         : type == mjOBJ_GEOM   ? kGeoms
         : type == mjOBJ_JOINT  ? kJoints
         : type == mjOBJ_TENDON ? kTendons
                                : kActuators;
}

std::string text_of(std::span<const double> x) { return fmt::format("{:.17g}", fmt::join(x, " ")); }

void put(XmlTag& tag, const std::string& key, const std::string& value) {
  std::erase_if(tag.attributes, [&](const auto& a) { return a.first == key; });
  tag.attributes.emplace_back(key, value);
}

using Which = std::function<bool(const XmlTag&)>;
using Change = std::function<void(XmlTag&)>;

/// Rewrites all tags that fit, each with `inside` as its first children; how many.
int rewrite(std::vector<MjcfFile>& files, const Which& which, const Change& change,
            const std::string& inside = "") {
  int found = 0;
  for (MjcfFile& file : files) {
    if (file.bytes.find("<mujoco") == std::string::npos) continue;
    auto tags = xml_tags(file.bytes);
    for (auto tag = tags.rbegin(); tag != tags.rend(); ++tag) {
      if (!which(*tag)) continue;
      ++found;
      const std::string old = tag->name;
      change(*tag);
      std::string text = "<" + tag->name;
      for (const auto& [key, value] : tag->attributes) {
        const char quote = value.find('"') == std::string::npos ? '"' : '\'';
        text += fmt::format(" {}={}{}{}", key, quote, value, quote);
      }
      std::size_t end = tag->to;
      const bool closed = file.bytes.compare(end, 2, "/>") == 0;
      if (closed && (!inside.empty() || old != tag->name)) {
        text += fmt::format(">{}</{}", inside, tag->name);
        ++end;
      } else if (!inside.empty()) {
        text += ">" + inside;
        ++end;
      }
      file.bytes.replace(tag->from, end - tag->from, text);
    }
  }
  return found;
}

/// The text of a model with one edit written into it.
class Writer {
 public:
  Writer(const RobotFile& file, const Edit& edit, double value)
      : m_(file.sim->model()), edit_(edit), value_(value), files_(file.files) {}

  std::vector<MjcfFile> files() {
    switch (edit_.kind) {
      case EditKind::kDelay:
      case EditKind::kEncoderBias:
        throw NotWritten{"is not of the model"};
      case EditKind::kLength:
        throw NotWritten{"has no one place in MJCF"};
      case EditKind::kGravity:
      case EditKind::kWind:
        options();
        break;
      default:
        for (const EditTarget& t : edit_.targets) target(t);
    }
    return std::move(files_);
  }

 private:
  double to(const EditTarget& t) const {
    return changed(edit_.op, nominal_value(m_, edit_, t), value_);
  }

  void named(const EditTarget& t, const Change& change, const std::string& inside = "") {
    const Names& elements = elements_of(t.type);
    const Which which = [&](const XmlTag& tag) {
      return elements.contains(tag.name) && tag["name"] == t.name && tag["joint1"].empty();
    };
    if (rewrite(files_, which, change, inside) != 1) {
      throw NotWritten{fmt::format("'{}' is not found in the MJCF by its name", t.name)};
    }
  }

  void target(const EditTarget& t) {
    const auto attribute = [&](const char* key, const std::string& value) {
      named(t, [&](XmlTag& tag) { put(tag, key, value); });
    };
    switch (edit_.kind) {
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
        if (m_.npair > 0) throw NotWritten{"the model has explicit pairs, which have their own"};
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
  double angle_unit(const EditTarget& t) const {
    if (m_.jnt_type[t.id] != mjJNT_HINGE) return 1.0;
    for (const MjcfFile& file : files_) {
      for (const XmlTag& tag : xml_tags(file.bytes)) {
        if (tag.name == "compiler" && tag["angle"] == "radian") return 1.0;
      }
    }
    return 180.0 / std::numbers::pi;
  }

  /// Any actuator of one gain and bias, told in full.
  void actuator(const EditTarget& t) {
    Edit edit = edit_;
    const std::unique_ptr<mjModel, decltype(&mj_deleteModel)> copy(mj_copyModel(nullptr, &m_),
                                                                   mj_deleteModel);
    edit_row(edit_.kind).set(*copy, t, edit, to(t));
    const std::span gain(copy->actuator_gainprm + mjNGAIN * t.id, 3),
        bias(copy->actuator_biasprm + mjNBIAS * t.id, 3);
    const int dynamics = m_.actuator_dyntype[t.id];
    if (m_.actuator_gaintype[t.id] != mjGAIN_FIXED || m_.actuator_biastype[t.id] > mjBIAS_AFFINE ||
        dynamics > mjDYN_FILTER) {
      throw NotWritten{"is of a kind of actuator that is not written"};
    }
    static constexpr std::array<const char*, 3> kDynamics{"none", "integrator", "filter"};
    named(t, [&](XmlTag& tag) {
      std::erase_if(tag.attributes, [](const auto& a) {
        static const Names kOfKinds{"kp", "kv", "dampratio", "timeconst", "inheritrange"};
        return kOfKinds.contains(a.first);
      });
      tag.name = "general";
      put(tag, "gaintype", "fixed");
      put(tag, "gainprm", text_of(gain));
      put(tag, "biastype", m_.actuator_biastype[t.id] == mjBIAS_NONE ? "none" : "affine");
      put(tag, "biasprm", text_of(bias));
      put(tag, "dyntype", kDynamics[static_cast<std::size_t>(dynamics)]);
      put(tag, "dynprm", text_of({m_.actuator_dynprm + mjNDYN * t.id, 3}));
      if (m_.actuator_ctrllimited[t.id]) {
        put(tag, "ctrlrange", text_of({m_.actuator_ctrlrange + 2 * t.id, 2}));
      }
    });
  }

  void inertia(const EditTarget& t) {
    using Eigen::Matrix3d;
    using Eigen::Vector3d;
    const int b = t.id;
    Eigen::Matrix<double, 3, 3, Eigen::RowMajor> turn;
    mju_quat2Mat(turn.data(), m_.body_iquat + 4 * b);
    double mass = m_.body_mass[b];
    Vector3d centre = Eigen::Map<const Vector3d>(m_.body_ipos + 3 * b);
    Matrix3d moments =
        turn * Eigen::Map<const Vector3d>(m_.body_inertia + 3 * b).asDiagonal() * turn.transpose();
    if (edit_.kind == EditKind::kCom) {
      centre[*edit_.axis] = to(t);
    } else if (edit_.kind == EditKind::kPayload) {
      const Vector3d away = Eigen::Map<const Vector3d>(edit_.at.data()) - centre;
      const double reduced = mass * value_ / (mass + value_);
      moments += reduced * (away.squaredNorm() * Matrix3d::Identity() - away * away.transpose());
      mass += value_;
      centre += value_ / mass * away;
    } else {  // mass and density
      const double f = to(t) / nominal_value(m_, edit_, t);
      mass *= f;
      moments *= f;
    }
    int own = 0;
    for (const MjcfFile& file : files_) {
      for (const XmlTag& tag : xml_tags(file.bytes)) own += tag.name == "inertial";
    }
    if (own > 0) throw NotWritten{"the model has <inertial> of its own"};
    rewrite(
        files_, [](const XmlTag& tag) { return tag["inertiafromgeom"] == "true"; },
        [](XmlTag& tag) { put(tag, "inertiafromgeom", "auto"); });
    named(
        t, [](XmlTag&) {},
        fmt::format("<inertial mass=\"{:.17g}\" pos=\"{:.17g} {:.17g} {:.17g}\" "
                    "fullinertia=\"{:.17g} {:.17g} {:.17g} {:.17g} {:.17g} {:.17g}\"/>",
                    mass, centre[0], centre[1], centre[2], moments(0, 0), moments(1, 1),
                    moments(2, 2), moments(0, 1), moments(0, 2), moments(1, 2)));
  }

  void options() {
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
    const auto is_option = [](const XmlTag& tag) { return tag.name == "option"; };
    if (rewrite(files_, is_option, [&](XmlTag& tag) { put(tag, key, text_of(v)); }) > 0) return;
    rewrite(
        files_, [](const XmlTag& tag) { return tag.name == "mujoco"; }, [](XmlTag&) {},
        fmt::format("<option {}=\"{}\"/>", key, text_of(v)));
  }

  const mjModel& m_;
  const Edit& edit_;
  double value_;
  std::vector<MjcfFile> files_;
};

/// Flags and sparsity only save work, boxes are not used after edits, lengths of joints are for
/// bodies that sleep, how a control is called is no physics, and axes of inertia are compared by
/// the moments they stand for.
bool is_physics(std::string_view field) {
  static const Names kNot{"body_simple",   "body_sameframe",   "geom_sameframe", "site_sameframe",
                          "dof_simplenum", "body_iquat",       "body_inertia",   "bvh_aabb",
                          "dof_length",    "actuator_ctrlspec"};
  return !kNot.contains(field) && !field.starts_with("M_") && !field.starts_with("D_") &&
         !field.starts_with("map");
}

template <class T>
void compare(const char* field, const T* a, const T* b, std::ptrdiff_t n, Recompiled& out) {
  double scale = 1e-9, worst = 0.0;
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    scale = std::max(scale, std::abs(static_cast<double>(b[i])));
    worst = std::max(worst, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  }
  if (worst / scale > out.difference) {
    out.difference = worst / scale;
    out.field = field;
  }
}

Eigen::Matrix3d moments_of(const mjModel& m, int b) {
  Eigen::Matrix<double, 3, 3, Eigen::RowMajor> turn;
  mju_quat2Mat(turn.data(), m.body_iquat + 4 * b);
  return turn * Eigen::Map<const Eigen::Vector3d>(m.body_inertia + 3 * b).asDiagonal() *
         turn.transpose();
}

void compare_models(const mjModel* a, const mjModel* b, Recompiled& out) {
  MJMODEL_POINTERS_PREAMBLE(a)
#define X(type, name, rows, columns) \
  if (is_physics(#name)) compare(#name, a->name, b->name, a->rows*(columns), out);
  MJMODEL_POINTERS
#undef X
  static_cast<void>(std::array{nuser_body, nuser_jnt, nuser_geom, nuser_site, nuser_cam,
                               nuser_tendon, nuser_actuator, nuser_sensor, nq, nv, na, nu, nmocap});
  for (int i = 1; i < a->nbody; ++i) {
    compare("body_inertia", moments_of(*a, i).data(), moments_of(*b, i).data(), 9, out);
  }
  compare("stat.meaninertia", &a->stat.meaninertia, &b->stat.meaninertia, 1, out);
  compare("stat.meanmass", &a->stat.meanmass, &b->stat.meanmass, 1, out);
  compare("opt.gravity", a->opt.gravity, b->opt.gravity, 3, out);
  compare("opt.wind", a->opt.wind, b->opt.wind, 3, out);
}

}  // namespace

Recompiled compare_recompiled(const RobotFile& file, std::size_t latent, double value) {
  Recompiled out;
  try {
    const Edit& edit = file.latents[latent].edit;
    const auto files = Writer(file, edit, value).files();
    Sim edited(file.files[0].name, file.files);
    ModelEdits(edited, {edit}).patch(edited, {{value}});
    const Sim again("the edited text", files);
    const mjModel &a = edited.model(), &b = again.model();
    if (a.nbody != b.nbody || a.ngeom != b.ngeom || a.nv != b.nv) {
      out.why_not = "the edited text makes a model of another size";
    } else {
      compare_models(&a, &b, out);
    }
  } catch (const NotWritten& reason) {
    out.why_not = reason.why;
  } catch (const Error& error) {
    out.why_not = error.what();
  }
  return out;
}

}  // namespace bpo
