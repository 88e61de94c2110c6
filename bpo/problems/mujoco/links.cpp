#include "bpo/problems/mujoco/links.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "bpo/core/error.h"

namespace bpo {
namespace {

// Since 3.0 there is no such option, and none is needed.
constexpr const char* kPairsOnly = mjVERSION_HEADER < 300 ? "<option collision='predefined'/>" : "";

std::string geom_name(const Link& link, std::size_t shape) {
  return fmt::format("{}_{}", link.name, shape);
}

std::string text(const Vec3& v) { return fmt::format("{} {} {}", v[0], v[1], v[2]); }

void write_link(const Mechanism& m, int index, std::string& out) {
  const Link& link = m.links[index];
  out += fmt::format("<body name='{}' pos='{}'>{}", link.name, text(link.pos), link.joints);
  for (std::size_t k = 0; k < link.shapes.size(); ++k) {
    const Shape& s = link.shapes[k];
    out += fmt::format("<geom name='{}' type='{}' pos='{}' zaxis='{}' size='{} {}'/>",
                       geom_name(link, k), s.sphere ? "sphere" : "capsule", text(s.centre),
                       text(s.axis), s.radius, s.half);
  }
  for (std::size_t child = 0; child < m.links.size(); ++child) {
    if (m.links[child].parent == index) write_link(m, static_cast<int>(child), out);
  }
  out += "</body>\n";
}

/// The pairs of geoms that may touch, in the order in which MuJoCo's search finds them: by body,
/// then by geom.
std::vector<std::array<std::string, 2>> touching(const Mechanism& m) {
  std::vector<std::array<std::string, 2>> pairs;
  const auto with = [&](const std::string& first, const Link& link) {
    for (std::size_t k = 0; k < link.shapes.size(); ++k)
      pairs.push_back({first, geom_name(link, k)});
  };
  if (m.contacts == Contacts::kFloor) {
    for (const Link& link : m.links) with("floor", link);
    return pairs;
  }
  for (std::size_t i = 0; i < m.links.size(); ++i) {
    for (std::size_t k = 0; k < m.links[i].shapes.size(); ++k) {
      for (std::size_t j = i + 1; j < m.links.size(); ++j) {
        if (m.links[j].parent != static_cast<int>(i)) with(geom_name(m.links[i], k), m.links[j]);
      }
    }
  }
  return pairs;
}

double volume(const Shape& s) {
  using std::numbers::pi;
  const double ball = 4.0 / 3.0 * pi * s.radius * s.radius * s.radius;
  return s.sphere ? ball : ball + 2.0 * pi * s.radius * s.radius * s.half;
}

/// The principal moments of inertia of a shape about its centre; that about its axis comes last.
Vec3 moments(const Shape& s, double mass) {
  const double r2 = s.radius * s.radius;
  if (s.sphere) return {0.4 * mass * r2, 0.4 * mass * r2, 0.4 * mass * r2};
  const double height = 2.0 * s.half;
  const double ball = mass * 4.0 * s.radius / (4.0 * s.radius + 3.0 * height), tube = mass - ball;
  // The two half balls sit at the ends; a half ball's centre of mass is 3/8 r from its flat side.
  const double across = tube * (3.0 * r2 + height * height) / 12.0 + 0.4 * ball * r2 +
                        ball * height * (3.0 * s.radius + 2.0 * height) / 8.0;
  return {across, across, 0.5 * tube * r2 + 0.4 * ball * r2};
}

void check(const Mechanism& m) {
  for (const Link& link : m.links) {
    const auto refuse = [&](const char* what, double value) {
      throw bad_input(
          fmt::format("{}: link '{}' would have {} {}", m.name, link.name, what, value));
    };
    for (double x : link.pos) {
      if (!std::isfinite(x)) refuse("an offset of", x);
    }
    for (const Shape& s : link.shapes) {
      for (double x : s.centre) {
        if (!std::isfinite(x)) refuse("a centre at", x);
      }
      if (!(s.radius > 0.0 && std::isfinite(s.radius))) refuse("radius", s.radius);
      if (!s.sphere && !(s.half > 0.0 && std::isfinite(s.half))) refuse("half-length", s.half);
      const double mass = m.density * volume(s);
      if (!(mass > mjMINVAL && std::isfinite(mass))) refuse("mass", mass);
    }
  }
}

/// Mass and inertia of body `b` from its geoms, as MuJoCo's compiler does it.
void set_inertia(mjModel& model, int b, const Link& link, double density) {
  const mjtNum* quat = model.geom_quat + 4 * model.body_geomadr[b];
  mjtNum* ipos = model.body_ipos + 3 * b;
  double total = 0.0;
  Vec3 sum{};
  for (const Shape& s : link.shapes) {
    const double mass = density * volume(s);
    total += mass;
    for (int i = 0; i < 3; ++i) sum[i] += mass * s.centre[i];
  }
  model.body_mass[b] = total;
  if (link.shapes.size() == 1) {
    const Shape& s = link.shapes[0];
    const Vec3 diagonal = moments(s, total);
    std::copy_n(s.centre.data(), 3, ipos);
    std::copy_n(quat, 4, model.body_iquat + 4 * b);
    std::copy_n(diagonal.data(), 3, model.body_inertia + 3 * b);
    return;
  }
  for (int i = 0; i < 3; ++i) ipos[i] = sum[i] / total;
  std::array<mjtNum, 9> inertia{};  // about the centre of mass
  for (std::size_t k = 0; k < link.shapes.size(); ++k) {
    const Shape& s = link.shapes[k];
    const double mass = density * volume(s);
    const Vec3 diagonal = moments(s, mass);
    const Vec3 d{s.centre[0] - ipos[0], s.centre[1] - ipos[1], s.centre[2] - ipos[2]};
    const double d2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    std::array<mjtNum, 9> rotation;
    mju_quat2Mat(rotation.data(), quat + 4 * k);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        double x = mass * ((i == j ? d2 : 0.0) - d[i] * d[j]);
        for (int a = 0; a < 3; ++a) x += rotation[3 * i + a] * diagonal[a] * rotation[3 * j + a];
        inertia[3 * i + j] += x;
      }
    }
  }
  std::array<mjtNum, 9> vectors;
  mju_eig3(model.body_inertia + 3 * b, vectors.data(), model.body_iquat + 4 * b, inertia.data());
}

}  // namespace

Shape capsule(const Vec3& from, const Vec3& to, double radius) {
  Shape s{.radius = radius};
  double length2 = 0.0;
  for (int i = 0; i < 3; ++i) {
    s.centre[i] = 0.5 * (from[i] + to[i]);
    s.axis[i] = to[i] - from[i];
    length2 += s.axis[i] * s.axis[i];
  }
  const double length = std::sqrt(length2);
  for (double& x : s.axis) x /= length;
  s.half = 0.5 * length;
  return s;
}

Vec3 operator*(double scale, const Vec3& v) { return {scale * v[0], scale * v[1], scale * v[2]}; }

Link scaled(double scale, Link link) {
  link.pos = scale * link.pos;
  for (Shape& s : link.shapes) {
    s.centre = scale * s.centre;
    s.radius *= scale;
    s.half *= scale;
  }
  return link;
}

std::string to_mjcf(const Mechanism& m, Collision collision) {
  const auto pairs = touching(m);
  const bool floor = m.contacts == Contacts::kFloor, search = collision == Collision::kSearch;
  // Two of these shapes touch in at most two points; each gives four edges of a pyramid.
  const std::size_t contacts = 2 * pairs.size(), limits = 2 * m.links.size();
  std::string out = fmt::format("<mujoco model='{}'>{}<size nconmax='{}' njmax='{}'/>\n", m.name,
                                m.settings, contacts, 4 * contacts + limits);
  // A pair does not ask its geoms: what they would agree on is said twice.
  const Surface& s = m.surface;
  const std::string feel = fmt::format("condim='3' solref='{} {}' solimp='{}' margin='{}'",
                                       s.solref[0], s.solref[1], text(s.solimp), s.margin);
  out += fmt::format(
      "<default><geom {0} friction='{1} {2} {3}' contype='{4:d}' conaffinity='{5:d}'/>"
      "<pair {0} friction='{1} {1} {2} {3} {3}'/></default><worldbody>\n",
      feel, s.friction[0], s.friction[1], s.friction[2], search, search && !floor);
  if (floor) {
    out += fmt::format("<geom name='floor' type='plane' size='40 40 40' conaffinity='{:d}'/>\n",
                       search);
  }
  for (std::size_t i = 0; i < m.links.size(); ++i) {
    if (m.links[i].parent < 0) write_link(m, static_cast<int>(i), out);
  }
  out += "</worldbody><actuator>\n";
  for (const Motor& motor : m.motors) {
    out += fmt::format("<motor joint='{}' gear='{}' ctrllimited='true' ctrlrange='-1 1'/>\n",
                       motor.joint, motor.gear);
  }
  out += "</actuator>\n";
  if (!search) {
    out += fmt::format("{}<contact>\n", kPairsOnly);
    for (const auto& [a, b] : pairs) out += fmt::format("<pair geom1='{}' geom2='{}'/>\n", a, b);
    out += "</contact>\n";
  }
  return out + "</mujoco>\n";
}

Patch reshape(Sim& sim, const Mechanism& m) {
  check(m);
  return sim.edit([&](mjModel& model) {
    for (std::size_t i = 0; i < m.links.size(); ++i) {
      const Link& link = m.links[i];
      const int body = static_cast<int>(i) + 1;
      std::copy_n(link.pos.data(), 3, model.body_pos + 3 * body);
      for (std::size_t k = 0; k < link.shapes.size(); ++k) {
        const Shape& s = link.shapes[k];
        const int geom = model.body_geomadr[body] + static_cast<int>(k);
        std::copy_n(s.centre.data(), 3, model.geom_pos + 3 * geom);
        model.geom_size[3 * geom] = s.radius;
        if (!s.sphere) model.geom_size[3 * geom + 1] = s.half;
        model.geom_rbound[geom] = s.sphere ? s.radius : s.radius + s.half;
      }
      set_inertia(model, body, link, m.density);
    }
  });
}

}  // namespace bpo
