// The forces of soft constraints and the step in time, for four models at once; what planar and
// spatial robots share. As in MuJoCo, contacts and joint limits are springs and dampers that can
// only push, friction is a pyramid around a contact's normal, and the acceleration minimises
//   1/2 (a - a0)' M (a - a0) + sum of 1/2 D min(0, J a - reference)^2  over all edges and limits.
#pragma once

#include <algorithm>

#include "bpo/problems/mujoco/lanes/pack.h"
#include "bpo/problems/mujoco/lanes/tree.h"

namespace bpo::lanes {

using DofVector = std::array<Pack, kMaxDofs>;
using TreeMatrix =
    std::array<Pack, kMaxEntries>;  // a row per degree of freedom, along its path to the root

/// MuJoCo's measure in (0, 1) of how firm a constraint is whose clearance is x (negative when it is
/// violated).
inline Pack impedance(const Softness& soft, Pack x) {
  x = min(abs(x) * (1.0 / soft.width), Pack{} + 1.0);
  if (soft.quadratic) {
    const Pack rest = 1.0 - x;
    x = x <= soft.middle ? x * x * (1.0 / soft.middle)
                         : 1.0 - rest * rest * (1.0 / (1.0 - soft.middle));
  }
  return fma(soft.high - soft.low, x, broadcast(soft.low));
}

/// kTangents is the number of directions in which a contact can slide.
template <int kTangents>
class ConstraintSolver {
 public:
  /// `drive`: the numbers that read_drive() appends.
  ConstraintSolver(const Tree& tree, const Pack* drive) : tree_(tree), drive_(drive) {}

  DofVector q, v, control;
  DofVector acceleration{};
  Mask covered = ~Mask{};  // false in lanes that MuJoCo has to predict
  Mask touched{};          // true in lanes that had a contact so far

  /// Moves the velocities on, damping at those of the end of the step: (M + h D) x = M a.
  void integrate_velocity() {
    const double h = tree_.step;
    DofVector x = acceleration;
    if (tree_.damped) {
      TreeMatrix matrix;
      copy_mass_matrix(matrix);
      for (int k = 0; k < tree_.dofs; ++k) {
        Pack* row = matrix.data() + tree_.row[k];
        const int* path = tree_.path_of(k);
        x[k] = row[0] * acceleration[k];
        for (int t = 1; t < tree_.depth[k]; ++t) {
          const int above = path[t];
          x[k] = fma(row[t], acceleration[above], x[k]);
          x[above] = fma(row[t], acceleration[k], x[above]);
        }
        row[0] += h * of_dof(k, kDamping);
      }
      factor_and_solve(matrix, x);
    }
    for (int i = 0; i < tree_.dofs; ++i) v[i] = fma(h, x[i], v[i]);
    check_motion();
  }

  /// Leaves to MuJoCo what has run away.
  void check_motion() {
    for (int i = 0; i < tree_.dofs; ++i) {
      covered &= (abs(acceleration[i]) < 1e10) & (abs(v[i]) < 1e10);  // false for NaN
    }
  }

 protected:
  /// The end of a capsule on the floor, with the rows of its Jacobian along the normal and along
  /// the floor; their columns are the degrees of freedom on the path from `dof` to the root. In the
  /// direction that a plane lacks, two of the pyramid's edges are the normal itself. `*_active` is
  /// 1 where the edge pushes, else 0.
  struct Contact {
    int dof = 0;
    Pack friction;
    DofVector normal_row;
    std::array<DofVector, kTangents> tangent_row;
    Pack stiffness;  // 0 in lanes that do not touch
    Pack normal_reference;
    std::array<Pack, kTangents> tangent_reference;  // MuJoCo's reference accelerations
    std::array<Pack, kTangents> plus_active, minus_active;
    Pack normal_active;
  };
  struct Limit {
    int dof = 0;
    Pack sign, stiffness, reference, active;
  };

  const Pack& of_dof(int dof, int which) const { return drive_[kPerDof * dof + which]; }
  const Pack& friction(int capsule) const {
    return drive_[kPerDof * tree_.dofs + static_cast<int>(tree_.actuators.size()) + capsule];
  }
  const Pack& gravity(int axis) const { return drive_[drive_size(tree_) - 3 + axis]; }

  void clear_constraints() { contacts_ = limits_ = 0; }

  /// Calls f(capsule, end) for every end of a capsule that can meet the floor.
  template <class F>
  void for_each_floor_end(F f) const {
    for (std::size_t c = 0; c < tree_.capsules.size(); ++c) {
      if (!tree_.capsules[c].meets_floor) continue;
      for (int end = 0; end < tree_.capsules[c].ends; ++end) f(static_cast<int>(c), end);
    }
  }

  /// Adds the row of a joint limit that is within its margin. `inverse_inertia` is MuJoCo's, as the
  /// joint sees it.
  void add_limit_row(int dof, Pack inverse_inertia) {
    const Joint& joint = tree_.joints[dof];
    if (!joint.limited) return;
    const Pack over_low = q[dof] - joint.low, under_high = joint.high - q[dof];
    const Pack clearance = min(over_low, under_high) - joint.soft.margin;
    const Mask near = clearance < 0.0;
    if (!any(near)) return;
    Limit& limit = limit_[limits_++];
    limit.dof = dof;
    limit.sign = over_low < under_high ? Pack{} + 1.0 : Pack{} - 1.0;
    const Pack d = impedance(joint.soft, clearance);
    limit.stiffness = where(near, d / ((1.0 - d) * inverse_inertia));
    limit.reference =
        -joint.soft.damping * limit.sign * v[dof] - joint.soft.stiffness * d * clearance;
  }

  Contact& new_contact(int dof) {
    Contact& contact = contact_[contacts_++];
    contact.dof = dof;
    return contact;
  }
  /// Fills in the rest of a contact whose Jacobian rows are there. `inverse_inertia` is MuJoCo's,
  /// as the contact sees it.
  void fill_contact_rows(Contact& contact, int capsule, Pack clearance, Pack inverse_inertia) {
    const Capsule& shape = tree_.capsules[capsule];
    const int* path = tree_.path_of(contact.dof);
    Pack normal_velocity{};
    std::array<Pack, kTangents> tangent_velocity{};
    for (int t = 0; t < tree_.depth[contact.dof]; ++t) {
      const Pack& velocity = v[path[t]];
      normal_velocity = fma(contact.normal_row[t], velocity, normal_velocity);
      for (int k = 0; k < kTangents; ++k)
        tangent_velocity[k] = fma(contact.tangent_row[k][t], velocity, tangent_velocity[k]);
    }
    touched |= clearance < 0.0;
    const Pack d = impedance(shape.soft, clearance);
    const Pack mu = friction(capsule);
    const Pack edge_inverse_inertia = 2.0 * mu * mu * (1.0 + mu * mu) * inverse_inertia;
    contact.stiffness = where(clearance < 0.0, d / ((1.0 - d) * edge_inverse_inertia));
    contact.friction = mu;
    contact.normal_reference =
        -shape.soft.damping * normal_velocity - shape.soft.stiffness * d * clearance;
    for (int k = 0; k < kTangents; ++k)
      contact.tangent_reference[k] = -shape.soft.damping * tangent_velocity[k];
  }

  /// The acceleration at the minimum of a convex function that is quadratic as long as the active
  /// set stays the same. Newton's method, from the minimum of one piece to that of the next, ends
  /// when a minimum lies in its own piece.
  void solve_constraints() {
    constexpr int kRounds = 20;
    for (int i = 0; i < limits_; ++i) limit_[i].active = Pack{};
    for (int i = 0; i < contacts_; ++i) {
      contact_[i].normal_active = Pack{};
      contact_[i].plus_active = contact_[i].minus_active = {};
    }
    Mask open = covered;
    if (limits_ + contacts_ > 0) update_active_set();
    for (int round = 0; any(open); ++round) {
      if (round == kRounds) {
        covered &= ~open;
        return;
      }
      TreeMatrix matrix;
      DofVector x;
      copy_mass_matrix(matrix);
      std::copy_n(smooth_force_.data(), tree_.dofs, x.data());
      for (int i = 0; i < limits_; ++i) {
        const Limit& l = limit_[i];
        const Pack w = l.stiffness * l.active;
        matrix[tree_.row[l.dof]] += w;
        x[l.dof] += w * l.sign * l.reference;
      }
      for (int i = 0; i < contacts_; ++i) add_contact(contact_[i], matrix, x);
      factor_and_solve(matrix, x);
      for (int i = 0; i < tree_.dofs; ++i) acceleration[i] = open ? x[i] : acceleration[i];
      if (limits_ + contacts_ == 0) return;
      open &= update_active_set();
    }
  }

  TreeMatrix mass_matrix_;
  DofVector smooth_force_;  // generalised forces without those of constraints (qfrc_smooth)

 private:
  void copy_mass_matrix(TreeMatrix& to) const {
    std::copy_n(mass_matrix_.data(), tree_.path.size(), to.data());
  }

  /// Finds the constraints that push at the present acceleration; true where that set has changed.
  Mask update_active_set() {
    Mask changed{};
    const auto set = [&](Pack& active, Mask now) {
      const Pack next = where(now, Pack{} + 1.0);
      changed |= next != active;
      active = next;
    };
    for (int i = 0; i < limits_; ++i) {
      Limit& l = limit_[i];
      set(l.active, (l.sign * acceleration[l.dof] < l.reference) & (l.stiffness > 0.0));
    }
    for (int i = 0; i < contacts_; ++i) {
      Contact& contact = contact_[i];
      Pack normal = -contact.normal_reference;
      std::array<Pack, kTangents> tangent;
      for (int k = 0; k < kTangents; ++k) tangent[k] = -contact.tangent_reference[k];
      const int* path = tree_.path_of(contact.dof);
      for (int t = 0; t < tree_.depth[contact.dof]; ++t) {
        const Pack& a = acceleration[path[t]];
        normal = fma(contact.normal_row[t], a, normal);
        for (int k = 0; k < kTangents; ++k)
          tangent[k] = fma(contact.tangent_row[k][t], a, tangent[k]);
      }
      const Mask near = contact.stiffness > 0.0;
      for (int k = 0; k < kTangents; ++k) {
        const Pack slide = tangent[k] * contact.friction;
        set(contact.plus_active[k], (normal + slide < 0.0) & near);
        set(contact.minus_active[k], (normal - slide < 0.0) & near);
      }
      if (kTangents == 1) set(contact.normal_active, (normal < 0.0) & near);
    }
    return changed;
  }

  /// Adds J' D J of a contact's active edges to the matrix, and J' D reference to x.
  void add_contact(const Contact& contact, TreeMatrix& matrix, DofVector& x) const {
    const Pack stiffness = contact.stiffness;
    const Pack mu = contact.friction;
    Pack nn = contact.plus_active[0] + contact.minus_active[0];
    if constexpr (kTangents == 1) {
      nn += 2.0 * contact.normal_active;
    } else {
      nn += contact.plus_active[1] + contact.minus_active[1];
    }
    nn = stiffness * nn;
    std::array<Pack, kTangents> nt, tt, tangent_force;
    Pack normal_force = nn * contact.normal_reference;
    for (int k = 0; k < kTangents; ++k) {
      nt[k] = stiffness * mu * (contact.plus_active[k] - contact.minus_active[k]);
      tt[k] = stiffness * mu * mu * (contact.plus_active[k] + contact.minus_active[k]);
      normal_force = fma(nt[k], contact.tangent_reference[k], normal_force);
      tangent_force[k] = fma(nt[k], contact.normal_reference, tt[k] * contact.tangent_reference[k]);
    }
    const int depth = tree_.depth[contact.dof];
    const int* path = tree_.path_of(contact.dof);
    for (int s = 0; s < depth; ++s) {
      Pack force = contact.normal_row[s] * normal_force, wn = nn * contact.normal_row[s];
      std::array<Pack, kTangents> wt;
      for (int k = 0; k < kTangents; ++k) {
        force = fma(contact.tangent_row[k][s], tangent_force[k], force);
        wn = fma(nt[k], contact.tangent_row[k][s], wn);
        wt[k] = fma(nt[k], contact.normal_row[s], tt[k] * contact.tangent_row[k][s]);
      }
      x[path[s]] += force;
      Pack* row = matrix.data() + tree_.row[path[s]];
      for (int t = s; t < depth; ++t) {
        Pack entry = fma(wn, contact.normal_row[t], *row);
        for (int k = 0; k < kTangents; ++k) entry = fma(wt[k], contact.tangent_row[k][t], entry);
        *row++ = entry;
      }
    }
  }

  /// x <- matrix^-1 x by the factors L' D L, which fill nothing in along a tree.
  void factor_and_solve(TreeMatrix& matrix, DofVector& x) const {
    DofVector inverse;
    for (int k = tree_.dofs - 1; k >= 0; --k) {
      Pack* row = matrix.data() + tree_.row[k];
      const int depth = tree_.depth[k];
      inverse[k] = 1.0 / row[0];
      const int* path = tree_.path_of(k);
      for (int t = 1; t < depth; ++t) {
        const Pack factor = row[t] * inverse[k];
        Pack* upper = matrix.data() + tree_.row[path[t]];
        for (int s = t; s < depth; ++s, ++upper) *upper = fma(-factor, row[s], *upper);
        x[path[t]] = fma(-factor, x[k], x[path[t]]);
        row[t] = factor;
      }
    }
    for (int k = 0; k < tree_.dofs; ++k) {
      const Pack* row = matrix.data() + tree_.row[k];
      const int* path = tree_.path_of(k);
      Pack sum = x[k] * inverse[k];
      for (int t = tree_.depth[k] - 1; t > 0; --t) sum = fma(-row[t], x[path[t]], sum);
      x[k] = sum;
    }
  }

  const Tree& tree_;
  const Pack* drive_;
  int contacts_ = 0, limits_ = 0;
  std::array<Contact, 2 * kMaxCapsules> contact_;
  std::array<Limit, kMaxDofs> limit_;
};

}  // namespace bpo::lanes
