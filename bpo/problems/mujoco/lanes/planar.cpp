// Robots in a plane: a pose is one angle, an inertia three numbers.
#include "bpo/problems/mujoco/lanes/lane_sim.h"
#include "bpo/problems/mujoco/lanes/models.h"
#include "bpo/problems/mujoco/lanes/planar_tree.h"
#include "bpo/problems/mujoco/lanes/solver.h"

namespace bpo::lanes {
namespace {

using namespace planar;

/// Square of the distance from p to the segment from a along `way`.
Vec to_segment(const Vec2& p, const Vec2& a, const Vec2& way) {
  const Vec2 from = p - a;
  const Vec t = dot(from, way) / (dot(way, way) + 1e-300);
  const Vec2 apart = from - (t < 0.0 ? Vec{} : min(t, Vec{} + 1.0)) * way;
  return dot(apart, apart);
}

Vec2 quarter_turn(const Vec2& a) { return {-a[1], a[0]}; }

class PlanarLanes : public Solver<1> {
 public:
  static constexpr int kNumbers = kPerBody * kMaxBodies + kPerCapsule * kMaxCapsules;

  PlanarLanes(const PlanarTree& tree, const Vec* numbers)
      : Solver(tree), tree_(tree), numbers_(numbers) {}

  void load(int lane, std::span<const double> state) {
    for (int i = 0; i < tree_.dofs; ++i) {
      q[i][lane] = state[i];
      v[i][lane] = state[tree_.dofs + i];
    }
  }
  void store(int lane, std::span<double> state) const {
    for (int i = 0; i < tree_.dofs; ++i) {
      state[i] = q[i][lane];
      state[tree_.dofs + i] = v[i][lane];
    }
  }

  void step() {
    place();
    weigh();
    push();
    keep_apart();
    feel();
    solve();
    accelerate();
    for (int i = 0; i < tree_.dofs; ++i) {
      q[i] = fma(tree_.step, v[i], q[i]);
      covered &= abs(q[i]) < 1e10;  // false for NaN
    }
  }

 private:
  const Vec& number(int b, int which) const { return numbers_[kPerBody * b + which]; }
  Vec2 vector(int b, int which) const { return {number(b, which), number(b, which + 1)}; }
  const Vec& of_capsule(int c, int which) const {
    return numbers_[kPerBody * tree_.bodies + kPerCapsule * c + which];
  }

  Vec2 turned(int b, const Vec2& x) const {
    return {fma(cos_[b], x[0], -(sin_[b] * x[1])), fma(sin_[b], x[0], cos_[b] * x[1])};
  }

  /// Where the bodies are.
  void place() {
    for (int b = 0; b < tree_.bodies; ++b) {
      const int p = tree_.parent[b];
      const Vec turn = q[b + 2] - tree_.joints[b + 2].zero;
      if (p < 0) {
        angle_[b] = turn;
        turning_[b] = v[b + 2];
        place_[b] = vector(b, kOffset);
        for (int j = 0; j < 2; ++j) {
          place_[b] = fma(q[j] - tree_.joints[j].zero, broadcast(tree_.slides[j]), place_[b]);
        }
      } else {
        angle_[b] = angle_[p] + turn;
        turning_[b] = turning_[p] + v[b + 2];
        offset_[b] = turned(p, vector(b, kOffset));
        place_[b] = place_[p] + offset_[b];
      }
      covered &= abs(angle_[b]) < 1e5;
      sin_cos(angle_[b], sin_[b], cos_[b]);
      centre_[b] = turned(b, vector(b, kCentre));
    }
  }

  /// The inertia matrix, from the mass and the moments of all that hangs on each joint.
  void weigh() {
    std::array<Vec, kMaxBodies> mass, second;
    std::array<Vec2, kMaxBodies> first;
    for (int b = 0; b < tree_.bodies; ++b) {
      mass[b] = number(b, kMass);
      first[b] = mass[b] * centre_[b];
      second[b] = number(b, kInertia) + dot(first[b], centre_[b]);
    }
    for (int b = tree_.bodies - 1; b > 0; --b) {
      const int p = tree_.parent[b];
      const Vec2 &d = offset_[b], moved = fma(mass[b], d, first[b]);
      mass[p] += mass[b];
      second[p] += second[b] + dot(d, first[b]) + dot(d, moved);
      first[p] = first[p] + moved;
    }
    for (int b = 0; b < tree_.bodies; ++b) {
      Vec* row = inertia_.data() + tree_.row[b + 2];
      *row++ = second[b] + tree_.joints[b + 2].armature;
      for (int a = tree_.parent[b]; a >= 0; a = tree_.parent[a]) {
        *row++ = second[b] + dot(place_[b] - place_[a], first[b]);
      }
      for (int j = 1; j >= 0; --j) {
        *row++ = dot(broadcast(tree_.slides[j]), quarter_turn(first[b]));
      }
    }
    const auto& [x, y] = tree_.slides;
    inertia_[0] = mass[0] * (x[0] * x[0] + x[1] * x[1]) + tree_.joints[0].armature;
    inertia_[1] = mass[0] * (y[0] * y[0] + y[1] * y[1]) + tree_.joints[1].armature;
    inertia_[2] = mass[0] * (x[0] * y[0] + x[1] * y[1]);
  }

  /// All forces but those of constraints: gravity, what turning bodies feel, the fluid, springs,
  /// dampers and motors.
  void push() {
    std::array<Vec2, kMaxBodies> acceleration, speed, force;
    std::array<Vec, kMaxBodies> torque;
    for (int b = 0; b < tree_.bodies; ++b) {
      const int p = tree_.parent[b];
      acceleration[b] = p < 0 ? Vec2{} - broadcast(tree_.gravity)
                              : fma(-turning_[p] * turning_[p], offset_[b], acceleration[p]);
      force[b] = number(b, kMass) * fma(-turning_[b] * turning_[b], centre_[b], acceleration[b]);
      torque[b] = Vec{};
      if (!tree_.fluid) continue;
      speed[b] = p < 0 ? v[0] * broadcast(tree_.slides[0]) + v[1] * broadcast(tree_.slides[1])
                       : fma(turning_[p], quarter_turn(offset_[b]), speed[p]);
      drag(b, fma(turning_[b], quarter_turn(centre_[b]), speed[b]), force[b], torque[b]);
    }
    for (int b = 0; b < tree_.bodies; ++b) torque[b] += cross(centre_[b], force[b]);
    for (int b = tree_.bodies - 1; b > 0; --b) {
      const int p = tree_.parent[b];
      torque[p] += torque[b] + cross(offset_[b], force[b]);
      force[p] = force[p] + force[b];
    }
    for (int i = 0; i < tree_.dofs; ++i) {
      const Joint& joint = tree_.joints[i];
      const Vec inertial = i < 2 ? dot(broadcast(tree_.slides[i]), force[0]) : torque[i - 2];
      force_[i] =
          control[i] - inertial - joint.stiffness * (q[i] - joint.rest) - joint.damping * v[i];
    }
  }

  void drag(int b, const Vec2& speed, Vec2& force, Vec& torque) const {
    const Vec2 side = turned(b, vector(b, kSide));
    const Vec along = dot(side, speed), across = cross(side, speed), w = turning_[b];
    const auto against = [&](Vec motion, int linear, int square) {
      return motion * fma(number(b, square), abs(motion), number(b, linear));
    };
    force = fma(against(along, kDrag, kSquareDrag), side, force);
    force = fma(against(across, kDrag, kSquareDrag + 1), quarter_turn(side), force);
    torque += against(w, kDrag + 1, kSquareDrag + 2);
  }

  Vec2 end(int c, int which) const {
    const int b = tree_.capsules[c].body;
    return place_[b] + turned(b, {of_capsule(c, which), of_capsule(c, which + 1)});
  }

  /// Gives up on lanes in which two links touch.
  void keep_apart() {
    for (const Pair& pair : tree_.pairs) {
      const Vec2 a = end(pair.a, kFrom), c = end(pair.b, kFrom);
      const Vec2 ab = end(pair.a, kTo) - a, cd = end(pair.b, kTo) - c;
      const Vec2 ac = c - a, ad = ac + cd, cb = ab - ac;
      const Vec reach = of_capsule(pair.a, kRadius) + of_capsule(pair.b, kRadius) + pair.margin;
      // Far if the middles are further apart than two half-lengths and the reach; to save roots,
      // (s + t + u)^2 <= 3 (s^2 + t^2 + u^2).
      const Vec2 between = ac + (Vec{} + 0.5) * (cd - ab);
      const Mask near =
          dot(between, between) <= 0.75 * (dot(ab, ab) + dot(cd, cd)) + 3.0 * reach * reach;
      if (!any(near & covered)) continue;
      const Mask crossing =
          (cross(ab, ac) * cross(ab, ad) <= 0.0) & (cross(cd, ac) * cross(cd, cb) >= 0.0);
      const Vec least = min(min(to_segment(a, c, cd), to_segment(a + ab, c, cd)),
                            min(to_segment(c, a, ab), to_segment(c + cd, a, ab)));
      covered &= ~(near & (crossing | (least <= reach * reach)));
    }
  }

  /// Which constraints are near enough to matter, and what they ask for.
  void feel() {
    forget_constraints();
    for (int b = 0; b < tree_.bodies; ++b) feel_limit(b + 2, number(b, kJointWeight));
    each_end([&](int c, int end) { touch_floor(c, end == 0 ? kFrom : kTo); });
  }

  void touch_floor(int c, int which) {
    const Capsule& shape = tree_.capsules[c];
    const int b = shape.body, up = tree_.up, level = 1 - up;
    Vec2 at = end(c, which);
    const Vec height = at[up] - of_capsule(c, kRadius) - tree_.floor;
    const Vec room = height - shape.soft.margin;
    if (!any(room < 0.0)) return;
    at[up] -= of_capsule(c, kRadius) + 0.5 * height;
    Touch& touch = new_touch(b + 2);
    const double sign = up == 1 ? 1.0 : -1.0;  // turning moves (x, y) by (-y, x)
    int t = 0;
    for (int a = b; a >= 0; a = tree_.parent[a], ++t) {
      touch.normal[t] = sign * (at[level] - place_[a][level]);
      touch.along[0][t] = -sign * (at[up] - place_[a][up]);
    }
    for (int j = 1; j >= 0; --j, ++t) {
      touch.normal[t] = Vec{} + tree_.slides[j][up];
      touch.along[0][t] = Vec{} + tree_.slides[j][level];
    }
    feel_touch(touch, shape, room, of_capsule(c, kWeight));
  }

  const PlanarTree& tree_;
  const Vec* numbers_;
  std::array<Vec, kMaxBodies> angle_, sin_, cos_, turning_;
  std::array<Vec2, kMaxBodies> place_, offset_, centre_;  // of a joint, from its parent; of a mass
};

}  // namespace

std::shared_ptr<const LaneSim> make_planar(Sim& sim, std::span<const Patch> models) {
  return make_models<PlanarTree, PlanarLanes>(sim, models, read_planar, read_planar_numbers);
}

}  // namespace bpo::lanes
