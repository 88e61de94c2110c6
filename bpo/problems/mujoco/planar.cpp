#include "bpo/problems/mujoco/planar.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "bpo/problems/mujoco/planar_tree.h"
#include "bpo/problems/mujoco/planar_vector.h"

namespace bpo {
namespace {

using namespace planar;

using Column = std::array<Vec, kMaxDofs>;
using Matrix = std::array<Vec, kMaxEntries>;  // rows of the tree's paths

/// MuJoCo's measure in (0, 1) of how firm a constraint is that has room x, or is violated by -x.
Vec impedance(const Softness& soft, Vec x) {
  x = min(abs(x) * (1.0 / soft.width), Vec{} + 1.0);
  if (soft.quadratic) {
    const Vec rest = 1.0 - x;
    x = x <= soft.middle ? x * x * (1.0 / soft.middle)
                         : 1.0 - rest * rest * (1.0 / (1.0 - soft.middle));
  }
  return soft.low + x * (soft.high - soft.low);
}

/// Four models on their way.
class Lanes {
 public:
  Lanes(const Tree& tree, std::span<const Vec> numbers) : tree_(tree), numbers_(numbers) {}

  Column q, v, control;
  Mask covered = ~Mask{};

  void step() {
    place();
    weigh();
    push();
    keep_apart();
    feel();
    solve();
    integrate();
  }

 private:
  /// The end of a capsule on the floor. A degree of freedom on the path from `dof` moves it along
  /// the normal and along the floor. Friction's pyramid has four edges, normal +- mu along and
  /// twice the normal alone, since nothing moves out of the plane. What pushes is 1, else 0.
  struct Touch {
    int dof = 0;
    double friction = 0.0;
    Column normal, along;
    Vec stiffness;                    // 0 in lanes that do not touch
    Vec normal_target, along_target;  // accelerations that it asks for
    Vec plus, minus, middle;
  };
  struct Limit {
    int dof = 0;
    Vec sign, stiffness, target, pushes;
  };

  const Vec& number(int b, int which) const { return numbers_[kPerBody * b + which]; }
  Vec2 vector(int b, int which) const { return {number(b, which), number(b, which + 1)}; }
  const Vec& of_capsule(int c, int which) const {
    return numbers_[kPerBody * tree_.bodies + kPerCapsule * c + which];
  }

  const int* path_of(int dof) const { return tree_.path.data() + tree_.row[dof]; }
  void copy_inertia(Matrix& to) const {
    std::copy_n(inertia_.data(), tree_.path.size(), to.data());
  }

  Vec2 turned(int b, const Vec2& x) const {
    return {cos_[b] * x[0] - sin_[b] * x[1], sin_[b] * x[0] + cos_[b] * x[1]};
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
          place_[b] = place_[b] + (q[j] - tree_.joints[j].zero) * broadcast(tree_.slides[j]);
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
      const Vec2 &d = offset_[b], moved = first[b] + mass[b] * d;
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
      acceleration[b] = p < 0 ? broadcast({-tree_.gravity[0], -tree_.gravity[1]})
                              : acceleration[p] - turning_[p] * turning_[p] * offset_[b];
      force[b] = number(b, kMass) * (acceleration[b] - turning_[b] * turning_[b] * centre_[b]);
      torque[b] = Vec{};
      if (!tree_.fluid) continue;
      speed[b] = p < 0 ? v[0] * broadcast(tree_.slides[0]) + v[1] * broadcast(tree_.slides[1])
                       : speed[p] + turning_[p] * quarter_turn(offset_[b]);
      drag(b, speed[b] + turning_[b] * quarter_turn(centre_[b]), force[b], torque[b]);
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
    force =
        force + along * (number(b, kDrag) + number(b, kSquareDrag) * abs(along)) * side +
        across * (number(b, kDrag) + number(b, kSquareDrag + 1) * abs(across)) * quarter_turn(side);
    torque += w * (number(b, kDrag + 1) + number(b, kSquareDrag + 2) * abs(w));
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
    touches_ = limits_ = 0;
    for (int i = 2; i < tree_.dofs; ++i) {
      const Joint& joint = tree_.joints[i];
      if (!joint.limited) continue;
      const Vec over_low = q[i] - joint.low, under_high = joint.high - q[i];
      const Vec room = min(over_low, under_high) - joint.soft.margin;
      const Mask felt = room < 0.0;
      if (!any(felt)) continue;
      Limit& limit = limit_[limits_++];
      limit.dof = i;
      limit.sign = over_low < under_high ? Vec{} + 1.0 : Vec{} - 1.0;
      const Vec d = impedance(joint.soft, room);
      limit.stiffness = where(felt, d / ((1.0 - d) * number(i - 2, kJointWeight)));
      limit.target = -joint.soft.damping * limit.sign * v[i] - joint.soft.stiffness * d * room;
    }
    for (std::size_t c = 0; c < tree_.capsules.size(); ++c) {
      const Capsule& shape = tree_.capsules[c];
      if (!shape.meets_floor) continue;
      touch_floor(static_cast<int>(c), kFrom);
      if (shape.ends == 2) touch_floor(static_cast<int>(c), kTo);
    }
  }

  void touch_floor(int c, int which) {
    const Capsule& shape = tree_.capsules[c];
    const int b = shape.body, up = tree_.up, level = 1 - up;
    Vec2 at = end(c, which);
    const Vec height = at[up] - of_capsule(c, kRadius) - tree_.floor;
    const Vec room = height - shape.soft.margin;
    const Mask felt = room < 0.0;
    if (!any(felt)) return;
    Touch& touch = touch_[touches_++];
    touch.dof = b + 2;
    at[up] -= of_capsule(c, kRadius) + 0.5 * height;
    // The tangent is axis `level`; friction does not tell its two directions apart.
    int t = 0;
    Vec rise{}, slip{};
    const auto entry = [&](int dof, Vec normal, Vec along) {
      touch.normal[t] = normal;
      touch.along[t] = along;
      rise += normal * v[dof];
      slip += along * v[dof];
      ++t;
    };
    const double sign = up == 1 ? 1.0 : -1.0;  // turning moves (x, y) by (-y, x)
    for (int a = b; a >= 0; a = tree_.parent[a]) {
      entry(a + 2, sign * (at[level] - place_[a][level]), -sign * (at[up] - place_[a][up]));
    }
    for (int j = 1; j >= 0; --j) {
      entry(j, Vec{} + tree_.slides[j][up], Vec{} + tree_.slides[j][level]);
    }
    const Vec d = impedance(shape.soft, room);
    const double mu = shape.friction;
    const Vec weight = 2.0 * mu * mu * (1.0 + mu * mu) * of_capsule(c, kWeight);
    touch.stiffness = where(felt, d / ((1.0 - d) * weight));
    touch.friction = mu;
    touch.normal_target = -shape.soft.damping * rise - shape.soft.stiffness * d * room;
    touch.along_target = -shape.soft.damping * slip;
  }

  /// Which constraints push at acceleration a; true where that has changed.
  Mask choose() {
    Mask changed{};
    const auto set = [&](Vec& pushes, Mask now) {
      const Vec next = where(now, Vec{} + 1.0);
      changed |= next != pushes;
      pushes = next;
    };
    for (int i = 0; i < limits_; ++i) {
      Limit& l = limit_[i];
      set(l.pushes, (l.sign * a_[l.dof] < l.target) & (l.stiffness > 0.0));
    }
    for (int i = 0; i < touches_; ++i) {
      Touch& touch = touch_[i];
      Vec normal = -touch.normal_target, along = -touch.along_target;
      const int* path = path_of(touch.dof);
      for (int t = 0; t < tree_.depth[touch.dof]; ++t) {
        normal += touch.normal[t] * a_[path[t]];
        along += touch.along[t] * a_[path[t]];
      }
      along *= touch.friction;
      const Mask felt = touch.stiffness > 0.0;
      set(touch.plus, (normal + along < 0.0) & felt);
      set(touch.minus, (normal - along < 0.0) & felt);
      set(touch.middle, (normal < 0.0) & felt);
    }
    return changed;
  }

  /// The acceleration that minimises Gauss' principle with soft constraints: a convex function,
  /// quadratic between changes of what pushes. Newton's method, from the minimum of one piece to
  /// that of the next, ends when a minimum lies in its own piece.
  void solve() {
    constexpr int kRounds = 20;
    for (int i = 0; i < limits_; ++i) limit_[i].pushes = Vec{};
    for (int i = 0; i < touches_; ++i) {
      touch_[i].plus = touch_[i].minus = touch_[i].middle = Vec{};
    }
    Mask open = covered;
    if (limits_ + touches_ > 0) choose();
    for (int round = 0; any(open); ++round) {
      if (round == kRounds) {
        covered &= ~open;
        return;
      }
      Matrix matrix;
      Column x;
      copy_inertia(matrix);
      std::copy_n(force_.data(), tree_.dofs, x.data());
      for (int i = 0; i < limits_; ++i) {
        const Limit& l = limit_[i];
        const Vec w = l.stiffness * l.pushes;
        matrix[tree_.row[l.dof]] += w;
        x[l.dof] += w * l.sign * l.target;
      }
      for (int i = 0; i < touches_; ++i) add(touch_[i], matrix, x);
      divide(matrix, x);
      for (int i = 0; i < tree_.dofs; ++i) a_[i] = open ? x[i] : a_[i];
      if (limits_ + touches_ == 0) return;
      open &= choose();
    }
  }

  void add(const Touch& touch, Matrix& matrix, Column& x) const {
    const Vec k = touch.stiffness;
    const double mu = touch.friction;
    const Vec nn = k * (touch.plus + touch.minus + 2.0 * touch.middle),
              nt = k * mu * (touch.plus - touch.minus),
              tt = k * mu * mu * (touch.plus + touch.minus);
    const Vec n = nn * touch.normal_target + nt * touch.along_target,
              l = nt * touch.normal_target + tt * touch.along_target;
    const int depth = tree_.depth[touch.dof];
    const int* path = path_of(touch.dof);
    for (int s = 0; s < depth; ++s) {
      x[path[s]] += touch.normal[s] * n + touch.along[s] * l;
      const Vec wn = nn * touch.normal[s] + nt * touch.along[s],
                wt = nt * touch.normal[s] + tt * touch.along[s];
      Vec* row = matrix.data() + tree_.row[path[s]];
      for (int t = s; t < depth; ++t) *row++ += wn * touch.normal[t] + wt * touch.along[t];
    }
  }

  /// x <- matrix^-1 x by the factors L' D L, which fill nothing in along a tree.
  void divide(Matrix& matrix, Column& x) const {
    Column inverse;
    for (int k = tree_.dofs - 1; k >= 0; --k) {
      Vec* row = matrix.data() + tree_.row[k];
      const int depth = tree_.depth[k];
      inverse[k] = 1.0 / row[0];
      const int* path = path_of(k);
      for (int t = 1; t < depth; ++t) {
        const Vec factor = row[t] * inverse[k];
        Vec* upper = matrix.data() + tree_.row[path[t]];
        for (int s = t; s < depth; ++s) *upper++ -= factor * row[s];
        x[path[t]] -= factor * x[k];
        row[t] = factor;
      }
    }
    for (int k = 0; k < tree_.dofs; ++k) {
      const Vec* row = matrix.data() + tree_.row[k];
      const int* path = path_of(k);
      Vec sum = x[k] * inverse[k];
      for (int t = tree_.depth[k] - 1; t > 0; --t) sum -= row[t] * x[path[t]];
      x[k] = sum;
    }
  }

  void integrate() {
    const double h = tree_.step;
    Column x = a_;
    if (tree_.damped) {
      // (M + h D) x = M a: damping acts at the end of the step.
      Matrix matrix;
      copy_inertia(matrix);
      for (int k = 0; k < tree_.dofs; ++k) {
        Vec* row = matrix.data() + tree_.row[k];
        const int* path = path_of(k);
        x[k] = row[0] * a_[k];
        for (int t = 1; t < tree_.depth[k]; ++t) {
          x[k] += row[t] * a_[path[t]];
          x[path[t]] += row[t] * a_[k];
        }
        row[0] += h * tree_.joints[k].damping;
      }
      divide(matrix, x);
    }
    for (int i = 0; i < tree_.dofs; ++i) {
      v[i] += h * x[i];
      q[i] += h * v[i];
      covered &= (abs(v[i]) < 1e10) & (abs(q[i]) < 1e10);  // false for NaN
    }
  }

  const Tree& tree_;
  std::span<const Vec> numbers_;
  int touches_ = 0, limits_ = 0;
  std::array<Vec, kMaxBodies> angle_, sin_, cos_, turning_;
  std::array<Vec2, kMaxBodies> place_, offset_, centre_;  // of a joint, from its parent; of a mass
  Matrix inertia_;
  Column force_, a_{};
  std::array<Touch, 2 * kMaxCapsules> touch_;
  std::array<Limit, kMaxDofs> limit_;
};

}  // namespace

std::optional<PlanarSim> PlanarSim::of(Sim& sim, std::span<const Patch> models) {
  Tree tree;
  if (!read_tree(sim.model(), tree)) return {};
  PlanarSim out;
  for (const Patch& patch : models) {
    sim.apply(patch);
    out.models_.emplace_back();
    if (!read_numbers(sim.model(), tree, out.models_.back())) return {};
  }
  out.tree_ = std::make_shared<const Tree>(std::move(tree));
  return out;
}

void PlanarSim::advance(std::span<Job> jobs, int frames) const {
  assert(!jobs.empty() && jobs.size() <= kLanes);
  const Tree& tree = *tree_;
  std::array<Vec, kPerBody * kMaxBodies + kPerCapsule * kMaxCapsules> numbers;
  Lanes lanes(tree, numbers);
  for (int i = 0; i < tree.dofs; ++i) lanes.control[i] = Vec{};
  for (int lane = 0; lane < kLanes; ++lane) {
    const Job& job = jobs[std::min<std::size_t>(lane, jobs.size() - 1)];
    const std::vector<double>& model = models_[job.model];
    for (std::size_t k = 0; k < model.size(); ++k) numbers[k][lane] = model[k];
    for (int i = 0; i < tree.dofs; ++i) {
      lanes.q[i][lane] = job.state[i];
      lanes.v[i][lane] = job.state[tree.dofs + i];
    }
    for (std::size_t i = 0; i < tree.motors.size(); ++i) {
      const Motor& motor = tree.motors[i];
      double u = job.controls[i];
      if (!(std::abs(u) < 1e10)) lanes.covered[lane] = 0;
      if (motor.limited) u = std::clamp(u, motor.low, motor.high);
      lanes.control[motor.dof][lane] += motor.gain * u;
    }
  }
  for (int frame = 0; frame < frames; ++frame) lanes.step();
  for (std::size_t lane = 0; lane < jobs.size(); ++lane) {
    Job& job = jobs[lane];
    job.covered = lanes.covered[lane] != 0;
    for (int i = 0; job.covered && i < tree.dofs; ++i) {
      job.state[i] = lanes.q[i][lane];
      job.state[tree.dofs + i] = lanes.v[i][lane];
    }
  }
}

}  // namespace bpo
