// Bodies of another mass or length, as a modeller would write them.
#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <set>
#include <sstream>

#include "bpo/problems/mujoco/recompile_writer.h"
#include "bpo/problems/mujoco/stretch.h"

namespace bpo {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

Matrix3d moments_of(const mjModel& m, int b) {
  Eigen::Matrix<double, 3, 3, Eigen::RowMajor> turn;
  mju_quat2Mat(turn.data(), m.body_iquat + 4 * b);
  return turn * Eigen::Map<const Vector3d>(m.body_inertia + 3 * b).asDiagonal() * turn.transpose();
}

std::string name_of(const mjModel& m, int body) { return m.names + m.name_bodyadr[body]; }

/// The attribute's numbers times f.
void scale(XmlTag& tag, const std::string& key, double f) {
  std::istringstream numbers(tag[key]);
  std::string out;
  for (double x = 0.0; numbers >> x;)
    out += fmt::format("{}{:.17g}", out.empty() ? "" : " ", f * x);
  if (!out.empty()) put(tag, key, out);
}

}  // namespace

MjcfText::Which RecompileWriter::inside(int body, const std::string& element) const {
  return [&, body, element](const MjcfText::Tags& all, std::size_t i) {
    if (all[i].parent < 0 || (!element.empty() && all[i].name != element)) return false;
    const XmlTag& parent = all[static_cast<std::size_t>(all[i].parent)];
    return body == 0 ? parent.name == "worldbody"
                     : parent.name == "body" && parent["name"] == name_of(m_, body);
  };
}

/// The compiler changes the masses of some models after it has read them.
void RecompileWriter::refuse_compilers_choices() const {
  for (const XmlTag& tag : text_.find(called("compiler"))) {
    for (const char* key : {"settotalmass", "fusestatic", "balanceinertia", "coordinate"}) {
      if (const std::string value = tag[key];
          !value.empty() && value != "false" && value != "local") {
        throw NotWritten{fmt::format("the model's compiler has {}=\"{}\"", key, value)};
      }
    }
  }
}

void RecompileWriter::write_inertial(int body, double mass, const double* centre,
                                     const double* moments) {
  const auto by_shapes = [](const MjcfText::Tags& all, std::size_t i) {
    return all[i].name == "compiler" && all[i]["inertiafromgeom"] == "true";
  };
  if (text_.any(by_shapes)) {  // then no <inertial> counted so far
    text_.erase(called("inertial"));
    text_.rewrite(by_shapes, [](XmlTag& tag) { put(tag, "inertiafromgeom", "auto"); });
  }
  const double* i = moments;
  const std::string text = fmt::format(
      "<inertial mass=\"{:.17g}\" pos=\"{:.17g} {:.17g} {:.17g}\" fullinertia=\"{:.17g} {:.17g} "
      "{:.17g} {:.17g} {:.17g} {:.17g}\"/>",
      mass, centre[0], centre[1], centre[2], i[0], i[4], i[8], i[1], i[2], i[5]);
  text_.erase(inside(body, "inertial"));
  rewrite(
      {mjOBJ_BODY, body, name_of(m_, body)}, [](XmlTag&) {}, text);
}

void RecompileWriter::inertia(const EditTarget& t) {
  refuse_compilers_choices();
  const int b = t.id;
  double mass = m_.body_mass[b];
  Vector3d centre = Eigen::Map<const Vector3d>(m_.body_ipos + 3 * b);
  Matrix3d moments = moments_of(m_, b);
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
  write_inertial(b, mass, centre.data(), moments.data());
}

/// Scales all places in the body, the sizes of its shapes along them, and what gives it its mass.
void RecompileWriter::length(const EditTarget& t) {
  refuse_compilers_choices();
  const int b = t.id;
  const double volume = weighing_volume(m_, b);
  for (const auto& [element, key] : {std::pair{"geom", "fromto"},
                                     {"geom", "pos"},
                                     {"geom", "mass"},
                                     {"joint", "pos"},
                                     {"site", "pos"}}) {
    if (text_.any([&](const MjcfText::Tags& all, std::size_t i) {
          return all[i].name == element && is_within(all, i, "default") && !all[i][key].empty();
        })) {
      throw NotWritten{fmt::format("<{}> has {} by default", element, key)};
    }
  }
  static const std::set<std::string> kKnown{"geom",     "site",   "joint", "freejoint",
                                            "inertial", "camera", "light", "body"};
  const MjcfText::Tags parts = text_.find(inside(b, ""));
  for (const XmlTag& tag : parts) {
    if (!kKnown.contains(tag.name)) throw NotWritten{fmt::format("the body has a <{}>", tag.name)};
    if (tag.name == "inertial" && volume > 0.0) {
      throw NotWritten{"the body has <inertial> and shapes that weigh as much"};
    }
  }
  int geom = m_.body_geomadr[b] + m_.body_geomnum[b];
  if (static_cast<int>(text_.find(inside(b, "geom")).size()) != m_.body_geomnum[b]) {
    throw NotWritten{fmt::format("the shapes of '{}' are not found in the MJCF", t.name)};
  }
  const double density = volume > 0.0 ? m_.body_mass[b] / volume : 0.0;
  text_.rewrite(inside(b, ""), [&](XmlTag& tag) {
    if (tag.name == "geom") return lengthen(tag, --geom, density);
    if (tag.name == "camera" || tag.name == "light" || tag.name == "inertial") return;
    scale(tag, "pos", value_);
    scale(tag, "fromto", value_);
  });
  text_.rewrite(
      [&](const MjcfText::Tags& all, std::size_t i) {
        return all[i].name == "connect" && all[i]["body1"] == t.name;
      },
      [&](XmlTag& tag) { scale(tag, "anchor", value_); });
  if (volume > 0.0) return;
  const double f = value_;
  const Vector3d centre = f * Eigen::Map<const Vector3d>(m_.body_ipos + 3 * b);
  const Matrix3d moments = f * f * f * moments_of(m_, b);
  write_inertial(b, f * m_.body_mass[b], centre.data(), moments.data());
}

void RecompileWriter::lengthen(XmlTag& tag, int geom, double density) const {
  const double f = value_;
  const int type = m_.geom_type[geom];
  const bool round = type == mjGEOM_CAPSULE || type == mjGEOM_CYLINDER;
  if (!tag["fromto"].empty() && !round) throw NotWritten{"a shape of it is a box along a line"};
  scale(tag, "fromto", f);
  scale(tag, "pos", f);
  if (density > 0.0 && !tag["mass"].empty() && tag["mass"] != "0") {
    put(tag, "mass", "");
    put(tag, "density", fmt::format("{:.17g}", density));
  }
  if (type == mjGEOM_SPHERE || !tag["fromto"].empty()) return;
  std::array<double, 3> size{};
  std::copy_n(m_.geom_size + 3 * geom, 3, size.begin());
  (round ? size[1] : *std::max_element(size.begin(), size.end())) *= f;
  put(tag, "size", fmt::format("{:.17g}", fmt::join(std::span(size).first(round ? 2 : 3), " ")));
}

}  // namespace bpo
