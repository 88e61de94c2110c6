// Robots in space. Places are relative to the root's, along the world's axes. Motions and forces
// are spatial vectors, their linear parts taken at the root, so that inertias and forces of bodies
// just add up (Featherstone, Rigid Body Dynamics Algorithms, ch. 2 and 5).
#include "bpo/problems/mujoco/lanes/lane_sim.h"
#include "bpo/problems/mujoco/lanes/models.h"
#include "bpo/problems/mujoco/lanes/solver.h"
#include "bpo/problems/mujoco/lanes/spatial_tree.h"

namespace bpo::lanes {
namespace {

using namespace spatial;

struct Spatial {
  Vec3 angular{}, linear{};

  friend Spatial operator+(const Spatial& a, const Spatial& b) {
    return {a.angular + b.angular, a.linear + b.linear};
  }
  friend Spatial operator*(Vec s, const Spatial& a) { return {s * a.angular, s * a.linear}; }
  friend Spatial fma(Vec s, const Spatial& a, const Spatial& b) {
    return {lanes::fma(s, a.angular, b.angular), lanes::fma(s, a.linear, b.linear)};
  }
  /// The work of a force along a motion.
  friend Vec dot(const Spatial& a, const Spatial& b) {
    return lanes::dot(a.angular, b.angular) + lanes::dot(a.linear, b.linear);
  }
};
/// How a motion that is fixed to a body changes while the body moves by `by`.
Spatial carried(const Spatial& by, const Spatial& a) {
  return {cross(by.angular, a.angular), cross(by.angular, a.linear) + cross(by.linear, a.angular)};
}
/// Likewise a momentum.
Spatial carried_momentum(const Spatial& by, const Spatial& a) {
  return {cross(by.angular, a.angular) + cross(by.linear, a.linear), cross(by.angular, a.linear)};
}

struct Turn {
  Vec3 x, y, z;  // where it takes the axes

  Vec3 operator*(const Vec3& a) const { return fma(a[2], z, fma(a[1], y, a[0] * x)); }
};

/// About the root.
struct Inertia {
  Vec mass;
  Vec3 first;
  std::array<Vec, 6> second;  // xx, yy, zz, xy, xz, yz

  Spatial operator*(const Spatial& a) const {
    const auto& [xx, yy, zz, xy, xz, yz] = second;
    const Turn columns{{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}};
    return {columns * a.angular + cross(first, a.linear),
            fma(mass, a.linear, cross(a.angular, first))};
  }
  void operator+=(const Inertia& other) {
    mass += other.mass;
    first = first + other.first;
    for (std::size_t k = 0; k < second.size(); ++k) second[k] += other.second[k];
  }
};

class SpatialLanes : public Solver<2> {
 public:
  static constexpr int kNumbers = kPerBody * kMaxBodies + kPerCapsule * kMaxCapsules;

  SpatialLanes(const SpatialTree& tree, const Vec* numbers)
      : Solver(tree), tree_(tree), numbers_(numbers) {}

  void load(int lane, std::span<const double> state) {
    for (int k = 0; k < 3; ++k) root_[k][lane] = state[k];
    for (int k = 0; k < 4; ++k) quat_[k][lane] = state[3 + k];
    for (int i = 6; i < tree_.dofs; ++i) q[i][lane] = state[tree_.joints[i].qpos];
    for (int i = 0; i < tree_.dofs; ++i) v[i][lane] = state[tree_.dofs + 1 + i];
  }
  void store(int lane, std::span<double> state) const {
    for (int k = 0; k < 3; ++k) state[k] = root_[k][lane];
    for (int k = 0; k < 4; ++k) state[3 + k] = quat_[k][lane];
    for (int i = 6; i < tree_.dofs; ++i) state[tree_.joints[i].qpos] = q[i][lane];
    for (int i = 0; i < tree_.dofs; ++i) state[tree_.dofs + 1 + i] = v[i][lane];
  }

  void step() {
    place();
    weigh();
    push();
    feel();
    solve();
    accelerate();
    move();
  }

 private:
  const Vec& number(int b, int which) const { return numbers_[kPerBody * b + which]; }
  Vec3 vector(int b, int which) const {
    return {number(b, which), number(b, which + 1), number(b, which + 2)};
  }
  const Vec& of_capsule(int c, int which) const {
    return numbers_[kPerBody * tree_.bodies + kPerCapsule * c + which];
  }
  Vec3 capsule_vector(int c, int which) const {
    return {of_capsule(c, which), of_capsule(c, which + 1), of_capsule(c, which + 2)};
  }

  /// Where the bodies are, and the motions that the degrees of freedom make.
  void place() {
    Vec square{};
    for (const Vec& x : quat_) square += x * x;
    const Vec scale = 1.0 / sqrt(square);
    for (Vec& x : quat_) x *= scale;
    const auto& [w, x, y, z] = quat_;
    turn_[0] = {{w * w + x * x - y * y - z * z, 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)},
                {2.0 * (x * y - w * z), w * w - x * x + y * y - z * z, 2.0 * (y * z + w * x)},
                {2.0 * (x * z + w * y), 2.0 * (y * z - w * x), w * w - x * x - y * y + z * z}};
    place_[0] = {};
    for (int k = 0; k < 3; ++k) {
      motion_[k] = {};
      motion_[k].linear[k] = Vec{} + 1.0;
    }
    motion_[3] = {turn_[0].x, {}};
    motion_[4] = {turn_[0].y, {}};
    motion_[5] = {turn_[0].z, {}};
    for (int b = 1; b < tree_.bodies; ++b) {
      const int p = tree_.parent[b], dof = tree_.hinge[b];
      const Turn& parent = turn_[p];
      place_[b] = place_[p] + parent * vector(b, kOffset);
      turn_[b] = parent;
      if (dof < 0) continue;
      const Vec3 axis = parent * broadcast(tree_.axis[b]);
      const Vec angle = q[dof] - tree_.joints[dof].zero;
      covered &= abs(angle) < 1e5;
      Vec sine, cosine;
      sin_cos(angle, sine, cosine);
      const auto turned = [&](const Vec3& a) {
        return fma((1.0 - cosine) * dot(axis, a), axis, fma(sine, cross(axis, a), cosine * a));
      };
      turn_[b] = {turned(parent.x), turned(parent.y), turned(parent.z)};
      motion_[dof] = {axis, cross(place_[b], axis)};
    }
  }

  /// The inertia matrix, from the inertias of all that hangs on each joint.
  void weigh() {
    std::array<Inertia, kMaxBodies> hanging;
    for (int b = 0; b < tree_.bodies; ++b) hanging[b] = own_[b] = inertia_of(b);
    for (int b = tree_.bodies - 1; b > 0; --b) hanging[tree_.parent[b]] += hanging[b];
    const auto fill_row = [&](int dof, const Inertia& inertia) {
      const Spatial momentum = inertia * motion_[dof];
      Vec* row = inertia_.data() + tree_.row[dof];
      const int* path = tree_.path_of(dof);
      for (int t = 0; t < tree_.depth[dof]; ++t) row[t] = dot(motion_[path[t]], momentum);
      row[0] += tree_.joints[dof].armature;
    };
    for (int dof = 0; dof < 6; ++dof) fill_row(dof, hanging[0]);
    for (int b = 1; b < tree_.bodies; ++b) {
      if (tree_.hinge[b] >= 0) fill_row(tree_.hinge[b], hanging[b]);
    }
  }

  Inertia inertia_of(int b) const {
    const Turn& turn = turn_[b];
    const Vec mass = number(b, kMass);
    const Vec3 r = place_[b] + turn * vector(b, kCentre);
    const Vec* i = numbers_ + kPerBody * b + kInertia;
    const Vec3 x = turn * Vec3{i[0], i[3], i[4]}, y = turn * Vec3{i[3], i[1], i[5]},
               z = turn * Vec3{i[4], i[5], i[2]};
    const auto turned = [&](int j, int k) {
      return dot(Vec3{x[j], y[j], z[j]}, Vec3{turn.x[k], turn.y[k], turn.z[k]});
    };
    const Vec3 first = mass * r;
    const Vec square = dot(first, r);
    return {mass,
            first,
            {turned(0, 0) + square - first[0] * r[0], turned(1, 1) + square - first[1] * r[1],
             turned(2, 2) + square - first[2] * r[2], turned(0, 1) - first[0] * r[1],
             turned(0, 2) - first[0] * r[2], turned(1, 2) - first[1] * r[2]}};
  }

  /// All forces but those of constraints: gravity, what turning bodies feel, springs, dampers and
  /// motors.
  void push() {
    std::array<Spatial, kMaxBodies> speed, acceleration, force;
    for (int b = 0; b < tree_.bodies; ++b) {
      const int p = tree_.parent[b], dof = tree_.hinge[b];
      if (b == 0) {
        // The root's axes turn with it, about a point that moves.
        for (int i = 0; i < 6; ++i) speed[0] = fma(v[i], motion_[i], speed[0]);
        acceleration[0].linear =
            cross(speed[0].linear, speed[0].angular) - broadcast(tree_.gravity);
      } else {
        speed[b] = speed[p];
        acceleration[b] = acceleration[p];
        if (dof >= 0) {
          const Spatial turning = v[dof] * motion_[dof];
          acceleration[b] = acceleration[b] + carried(speed[p], turning);
          speed[b] = speed[b] + turning;
        }
      }
      force[b] = own_[b] * acceleration[b] + carried_momentum(speed[b], own_[b] * speed[b]);
    }
    for (int b = tree_.bodies - 1; b > 0; --b) {
      force[tree_.parent[b]] = force[tree_.parent[b]] + force[b];
    }
    for (int i = 0; i < 6; ++i) {
      force_[i] = control[i] - dot(motion_[i], force[0]) - tree_.joints[i].damping * v[i];
    }
    for (int b = 1; b < tree_.bodies; ++b) {
      const int i = tree_.hinge[b];
      if (i < 0) continue;
      const Joint& joint = tree_.joints[i];
      force_[i] = control[i] - dot(motion_[i], force[b]) - joint.stiffness * (q[i] - joint.rest) -
                  joint.damping * v[i];
    }
  }

  /// Which constraints are near enough to matter, and what they ask for.
  void feel() {
    forget_constraints();
    for (int b = 1; b < tree_.bodies; ++b) {
      if (tree_.hinge[b] >= 0) feel_limit(tree_.hinge[b], number(b, kJointWeight));
    }
    each_end([&](int c, int end) { touch_floor(c, end == 0 ? kFrom : kTo); });
  }

  void touch_floor(int c, int which) {
    const Capsule& shape = tree_.capsules[c];
    const int b = shape.body;
    Vec3 at = place_[b] + turn_[b] * capsule_vector(c, which);
    const Vec height = root_[2] + at[2] - of_capsule(c, kRadius) - tree_.floor;
    const Vec room = height - shape.soft.margin;
    if (!any(room < 0.0)) return;
    at[2] -= of_capsule(c, kRadius) + 0.5 * height;
    // The pyramid stands along the capsule; a ball's along y, an upright capsule's along x.
    Vec x{}, y = Vec{} + 1.0;
    if (shape.ends == 2) {
      const Vec3 way = turn_[b] * (capsule_vector(c, kTo) - capsule_vector(c, kFrom));
      const Vec length = sqrt(way[0] * way[0] + way[1] * way[1]);
      const Mask leans = length > 1e-14;
      x = leans ? way[0] / length : Vec{} + 1.0;
      y = leans ? way[1] / length : Vec{};
    }
    Touch& touch = new_touch(tree_.last[b]);
    const int* path = tree_.path_of(touch.dof);
    for (int t = 0; t < tree_.depth[touch.dof]; ++t) {
      const Spatial& motion = motion_[path[t]];
      const Vec3 moves = motion.linear + cross(motion.angular, at);
      touch.normal[t] = moves[2];
      touch.along[0][t] = fma(x, moves[0], y * moves[1]);
      touch.along[1][t] = determinant(x, y, moves[0], moves[1]);
    }
    feel_touch(touch, shape, room, of_capsule(c, kWeight));
  }

  void move() {
    const double h = tree_.step;
    const Vec3 w{v[3], v[4], v[5]};
    const Vec speed = sqrt(dot(w, w));
    Vec sine, c;
    sin_cos(0.5 * h * speed, sine, c);
    const auto [x, y, z] = (speed > 1e-10 ? sine / speed : Vec{} + 0.5 * h) * w;
    const auto [a, i, j, k] = quat_;
    quat_ = {a * c - i * x - j * y - k * z, a * x + i * c + j * z - k * y,
             a * y - i * z + j * c + k * x, a * z + i * y - j * x + k * c};
    covered &= h * speed < 1e5;
    for (int dof = 0; dof < tree_.dofs; ++dof) {
      if (dof >= 3 && dof < 6) continue;
      Vec& place = dof < 3 ? root_[dof] : q[dof];
      place = fma(h, v[dof], place);
      covered &= abs(place) < 1e10;  // false for NaN
    }
  }

  const SpatialTree& tree_;
  const Vec* numbers_;
  Vec3 root_;
  std::array<Vec, 4> quat_;
  std::array<Turn, kMaxBodies> turn_;
  std::array<Vec3, kMaxBodies> place_;
  std::array<Spatial, kMaxDofs> motion_;
  std::array<Inertia, kMaxBodies> own_;
};

}  // namespace

std::shared_ptr<const LaneSim> make_spatial(Sim& sim, std::span<const Patch> models) {
  return make_models<SpatialTree, SpatialLanes>(sim, models, read_spatial, read_spatial_numbers);
}

}  // namespace bpo::lanes
