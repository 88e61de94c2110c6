// The forces of soft constraints and the step in time, for four models at once; what planar and
// spatial robots share. As in MuJoCo, contacts and joint limits are springs and dampers that can
// only push, friction is a pyramid around a contact's normal, and the acceleration minimises
//   1/2 (a - a0)' M (a - a0) + sum of 1/2 D min(0, J a - target)^2  over all edges and limits.
#pragma once

#include <algorithm>

#include "bpo/problems/mujoco/lanes/tree.h"
#include "bpo/problems/mujoco/lanes/vector.h"

namespace bpo::lanes {

using Column = std::array<Vec, kMaxDofs>;
using Matrix = std::array<Vec, kMaxEntries>;  // rows of the tree's paths

/// MuJoCo's measure in (0, 1) of how firm a constraint is that has room x, or is violated by -x.
inline Vec impedance(const Softness& soft, Vec x) {
  x = min(abs(x) * (1.0 / soft.width), Vec{} + 1.0);
  if (soft.quadratic) {
    const Vec rest = 1.0 - x;
    x = x <= soft.middle ? x * x * (1.0 / soft.middle)
                         : 1.0 - rest * rest * (1.0 / (1.0 - soft.middle));
  }
  return fma(soft.high - soft.low, x, broadcast(soft.low));
}

/// kTangents: along how many directions a contact can slide.
template <int kTangents>
class Solver {
 public:
  explicit Solver(const Tree& tree) : tree_(tree) {}

  Column q, v, control;
  Mask covered = ~Mask{};  // lanes that are still right

 protected:
  /// The end of a capsule on the floor. The degrees of freedom on the path from `dof` move it along
  /// the normal and along the floor. In the direction that a plane lacks, two of the pyramid's
  /// edges are the normal itself. What pushes is 1, else 0.
  struct Touch {
    int dof = 0;
    double friction = 0.0;
    Column normal;
    std::array<Column, kTangents> along;
    Vec stiffness;  // 0 in lanes that do not touch
    Vec normal_target;
    std::array<Vec, kTangents> along_target;  // accelerations that it asks for
    std::array<Vec, kTangents> plus, minus;
    Vec middle;
  };
  struct Limit {
    int dof = 0;
    Vec sign, stiffness, target, pushes;
  };

  void forget_constraints() { touches_ = limits_ = 0; }

  /// Calls f(capsule, end) for all that can meet the floor.
  template <class F>
  void each_end(F f) const {
    for (std::size_t c = 0; c < tree_.capsules.size(); ++c) {
      if (!tree_.capsules[c].meets_floor) continue;
      for (int end = 0; end < tree_.capsules[c].ends; ++end) f(static_cast<int>(c), end);
    }
  }

  /// `weight`: MuJoCo's inverse inertia at the joint.
  void feel_limit(int dof, Vec weight) {
    const Joint& joint = tree_.joints[dof];
    if (!joint.limited) return;
    const Vec over_low = q[dof] - joint.low, under_high = joint.high - q[dof];
    const Vec room = min(over_low, under_high) - joint.soft.margin;
    const Mask felt = room < 0.0;
    if (!any(felt)) return;
    Limit& limit = limit_[limits_++];
    limit.dof = dof;
    limit.sign = over_low < under_high ? Vec{} + 1.0 : Vec{} - 1.0;
    const Vec d = impedance(joint.soft, room);
    limit.stiffness = where(felt, d / ((1.0 - d) * weight));
    limit.target = -joint.soft.damping * limit.sign * v[dof] - joint.soft.stiffness * d * room;
  }

  Touch& new_touch(int dof) {
    Touch& touch = touch_[touches_++];
    touch.dof = dof;
    return touch;
  }
  /// Once its normal and along are filled. `weight` is the body's inverse inertia.
  void feel_touch(Touch& touch, const Capsule& shape, Vec room, Vec weight) {
    const int* path = tree_.path_of(touch.dof);
    Vec rise{};
    std::array<Vec, kTangents> slip{};
    for (int t = 0; t < tree_.depth[touch.dof]; ++t) {
      const Vec& speed = v[path[t]];
      rise = fma(touch.normal[t], speed, rise);
      for (int k = 0; k < kTangents; ++k) slip[k] = fma(touch.along[k][t], speed, slip[k]);
    }
    const Vec d = impedance(shape.soft, room);
    const double mu = shape.friction;
    const Vec edge_weight = 2.0 * mu * mu * (1.0 + mu * mu) * weight;
    touch.stiffness = where(room < 0.0, d / ((1.0 - d) * edge_weight));
    touch.friction = mu;
    touch.normal_target = -shape.soft.damping * rise - shape.soft.stiffness * d * room;
    for (int k = 0; k < kTangents; ++k) touch.along_target[k] = -shape.soft.damping * slip[k];
  }

  /// The acceleration at the minimum: of a convex function that is quadratic between changes of
  /// what pushes. Newton's method, from the minimum of one piece to that of the next, ends when a
  /// minimum lies in its own piece.
  void solve() {
    constexpr int kRounds = 20;
    for (int i = 0; i < limits_; ++i) limit_[i].pushes = Vec{};
    for (int i = 0; i < touches_; ++i) {
      touch_[i].middle = Vec{};
      touch_[i].plus = touch_[i].minus = {};
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

  /// Moves the velocities on, damping at those of the end of the step: (M + h D) x = M a.
  void accelerate() {
    const double h = tree_.step;
    Column x = a_;
    if (tree_.damped) {
      Matrix matrix;
      copy_inertia(matrix);
      for (int k = 0; k < tree_.dofs; ++k) {
        Vec* row = matrix.data() + tree_.row[k];
        const int* path = tree_.path_of(k);
        x[k] = row[0] * a_[k];
        for (int t = 1; t < tree_.depth[k]; ++t) {
          const int above = path[t];
          x[k] = fma(row[t], a_[above], x[k]);
          x[above] = fma(row[t], a_[k], x[above]);
        }
        row[0] += h * tree_.joints[k].damping;
      }
      divide(matrix, x);
    }
    for (int i = 0; i < tree_.dofs; ++i) {
      v[i] = fma(h, x[i], v[i]);
      covered &= (abs(a_[i]) < 1e10) & (abs(v[i]) < 1e10);  // false for NaN
    }
  }

  Matrix inertia_;
  Column force_;  // of all but constraints

 private:
  void copy_inertia(Matrix& to) const {
    std::copy_n(inertia_.data(), tree_.path.size(), to.data());
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
      Vec normal = -touch.normal_target;
      std::array<Vec, kTangents> along;
      for (int k = 0; k < kTangents; ++k) along[k] = -touch.along_target[k];
      const int* path = tree_.path_of(touch.dof);
      for (int t = 0; t < tree_.depth[touch.dof]; ++t) {
        const Vec& a = a_[path[t]];
        normal = fma(touch.normal[t], a, normal);
        for (int k = 0; k < kTangents; ++k) along[k] = fma(touch.along[k][t], a, along[k]);
      }
      const Mask felt = touch.stiffness > 0.0;
      for (int k = 0; k < kTangents; ++k) {
        const Vec slide = along[k] * touch.friction;
        set(touch.plus[k], (normal + slide < 0.0) & felt);
        set(touch.minus[k], (normal - slide < 0.0) & felt);
      }
      if (kTangents == 1) set(touch.middle, (normal < 0.0) & felt);
    }
    return changed;
  }

  /// Adds J' D J of a contact's pushing edges to the matrix, and J' D target to x.
  void add(const Touch& touch, Matrix& matrix, Column& x) const {
    const Vec stiffness = touch.stiffness;
    const double mu = touch.friction;
    Vec nn = touch.plus[0] + touch.minus[0];
    if constexpr (kTangents == 1) {
      nn += 2.0 * touch.middle;
    } else {
      nn += touch.plus[1] + touch.minus[1];
    }
    nn = stiffness * nn;
    std::array<Vec, kTangents> nt, tt, along_force;
    Vec normal_force = nn * touch.normal_target;
    for (int k = 0; k < kTangents; ++k) {
      nt[k] = stiffness * mu * (touch.plus[k] - touch.minus[k]);
      tt[k] = stiffness * mu * mu * (touch.plus[k] + touch.minus[k]);
      normal_force = fma(nt[k], touch.along_target[k], normal_force);
      along_force[k] = fma(nt[k], touch.normal_target, tt[k] * touch.along_target[k]);
    }
    const int depth = tree_.depth[touch.dof];
    const int* path = tree_.path_of(touch.dof);
    for (int s = 0; s < depth; ++s) {
      Vec force = touch.normal[s] * normal_force, wn = nn * touch.normal[s];
      std::array<Vec, kTangents> wt;
      for (int k = 0; k < kTangents; ++k) {
        force = fma(touch.along[k][s], along_force[k], force);
        wn = fma(nt[k], touch.along[k][s], wn);
        wt[k] = fma(nt[k], touch.normal[s], tt[k] * touch.along[k][s]);
      }
      x[path[s]] += force;
      Vec* row = matrix.data() + tree_.row[path[s]];
      for (int t = s; t < depth; ++t) {
        Vec entry = fma(wn, touch.normal[t], *row);
        for (int k = 0; k < kTangents; ++k) entry = fma(wt[k], touch.along[k][t], entry);
        *row++ = entry;
      }
    }
  }

  /// x <- matrix^-1 x by the factors L' D L, which fill nothing in along a tree.
  void divide(Matrix& matrix, Column& x) const {
    Column inverse;
    for (int k = tree_.dofs - 1; k >= 0; --k) {
      Vec* row = matrix.data() + tree_.row[k];
      const int depth = tree_.depth[k];
      inverse[k] = 1.0 / row[0];
      const int* path = tree_.path_of(k);
      for (int t = 1; t < depth; ++t) {
        const Vec factor = row[t] * inverse[k];
        Vec* upper = matrix.data() + tree_.row[path[t]];
        for (int s = t; s < depth; ++s, ++upper) *upper = fma(-factor, row[s], *upper);
        x[path[t]] = fma(-factor, x[k], x[path[t]]);
        row[t] = factor;
      }
    }
    for (int k = 0; k < tree_.dofs; ++k) {
      const Vec* row = matrix.data() + tree_.row[k];
      const int* path = tree_.path_of(k);
      Vec sum = x[k] * inverse[k];
      for (int t = tree_.depth[k] - 1; t > 0; --t) sum = fma(-row[t], x[path[t]], sum);
      x[k] = sum;
    }
  }

  const Tree& tree_;
  int touches_ = 0, limits_ = 0;
  Column a_{};
  std::array<Touch, 2 * kMaxCapsules> touch_;
  std::array<Limit, kMaxDofs> limit_;
};

}  // namespace bpo::lanes
