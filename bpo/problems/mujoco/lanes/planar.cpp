// Robots in a plane: a pose is one angle, an inertia three numbers.
#include "bpo/problems/mujoco/lanes/lane_sim.h"
#include "bpo/problems/mujoco/lanes/models.h"
#include "bpo/problems/mujoco/lanes/planar_tree.h"
#include "bpo/problems/mujoco/lanes/solver.h"

namespace bpo::lanes {
namespace {

using namespace planar;

/// Square of the distance from p to the segment from a along `way`.
Pack to_segment(const Pack2& p, const Pack2& a, const Pack2& way) {
  const Pack2 from = p - a;
  const Pack t = dot(from, way) / (dot(way, way) + 1e-300);
  const Pack2 apart = from - (t < 0.0 ? Pack{} : min(t, Pack{} + 1.0)) * way;
  return dot(apart, apart);
}

Pack2 quarter_turn(const Pack2& a) { return {-a[1], a[0]}; }

class PlanarLanes : public ConstraintSolver<1> {
 public:
  using TreeT = PlanarTree;
  static constexpr auto read = read_planar;
  static constexpr auto read_numbers = read_planar_numbers;
  static constexpr int kNumbers = kPerBody * kMaxBodies + kPerCapsule * kMaxCapsules + kMaxDrive;

  PlanarLanes(const PlanarTree& tree, const Pack* numbers)
      : ConstraintSolver(tree, numbers + kPerBody * tree.bodies +
                                   kPerCapsule * static_cast<int>(tree.capsules.size())),
        tree_(tree),
        numbers_(numbers) {}

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

  /// Finds the acceleration at (q, v).
  void accelerate() {
    forward_kinematics();
    compute_mass_matrix();
    compute_smooth_forces();
    detect_self_collision();
    make_constraint_rows();
    solve_constraints();
  }

  const DofVector& place() const { return q; }
  void displace(const DofVector& from, const DofVector& velocity, double time) {
    for (int i = 0; i < tree_.dofs; ++i) {
      q[i] = fma(time, velocity[i], from[i]);
      covered &= abs(q[i]) < 1e10;  // false for NaN
    }
  }

 private:
  const Pack& number(int b, int which) const { return numbers_[kPerBody * b + which]; }
  Pack2 vector(int b, int which) const { return {number(b, which), number(b, which + 1)}; }
  const Pack& of_capsule(int c, int which) const {
    return numbers_[kPerBody * tree_.bodies + kPerCapsule * c + which];
  }

  Pack2 rotated(int b, const Pack2& x) const {
    return {fma(cos_[b], x[0], -(sin_[b] * x[1])), fma(sin_[b], x[0], cos_[b] * x[1])};
  }

  /// Positions, angles and angular velocities of the bodies.
  void forward_kinematics() {
    for (int b = 0; b < tree_.bodies; ++b) {
      const int p = tree_.parent[b];
      const Pack turn = q[b + 2] - tree_.joints[b + 2].zero;
      if (p < 0) {
        angle_[b] = turn;
        angular_velocity_[b] = v[b + 2];
        position_[b] = vector(b, kOffset);
        for (int j = 0; j < 2; ++j) {
          position_[b] = fma(q[j] - tree_.joints[j].zero, broadcast(tree_.slides[j]), position_[b]);
        }
      } else {
        angle_[b] = angle_[p] + turn;
        angular_velocity_[b] = angular_velocity_[p] + v[b + 2];
        offset_[b] = rotated(p, vector(b, kOffset));
        position_[b] = position_[p] + offset_[b];
      }
      covered &= abs(angle_[b]) < 1e5;
      sin_cos(angle_[b], sin_[b], cos_[b]);
      centre_of_mass_[b] = rotated(b, vector(b, kCentre));
    }
  }

  /// The mass matrix, by the composite-rigid-body algorithm: `mass` and the two moments are of all
  /// that hangs on a joint, about that joint.
  void compute_mass_matrix() {
    std::array<Pack, kMaxBodies> mass, second_moment;
    std::array<Pack2, kMaxBodies> first_moment;
    for (int b = 0; b < tree_.bodies; ++b) {
      mass[b] = number(b, kMass);
      first_moment[b] = mass[b] * centre_of_mass_[b];
      second_moment[b] = number(b, kInertia) + dot(first_moment[b], centre_of_mass_[b]);
    }
    for (int b = tree_.bodies - 1; b > 0; --b) {
      const int p = tree_.parent[b];
      const Pack2 &d = offset_[b], moved = fma(mass[b], d, first_moment[b]);
      mass[p] += mass[b];
      second_moment[p] += second_moment[b] + dot(d, first_moment[b]) + dot(d, moved);
      first_moment[p] = first_moment[p] + moved;
    }
    for (int b = 0; b < tree_.bodies; ++b) {
      Pack* row = mass_matrix_.data() + tree_.row[b + 2];
      *row++ = second_moment[b] + of_dof(b + 2, kArmature);
      for (int a = tree_.parent[b]; a >= 0; a = tree_.parent[a]) {
        *row++ = second_moment[b] + dot(position_[b] - position_[a], first_moment[b]);
      }
      for (int j = 1; j >= 0; --j) {
        *row++ = dot(broadcast(tree_.slides[j]), quarter_turn(first_moment[b]));
      }
    }
    const auto& [x, y] = tree_.slides;
    mass_matrix_[0] = mass[0] * (x[0] * x[0] + x[1] * x[1]) + of_dof(0, kArmature);
    mass_matrix_[1] = mass[0] * (y[0] * y[0] + y[1] * y[1]) + of_dof(1, kArmature);
    mass_matrix_[2] = mass[0] * (x[0] * y[0] + x[1] * y[1]);
  }

  /// The generalised forces without those of constraints: actuators, springs, dampers and the
  /// fluid, minus the bias forces (gravity, centrifugal and Coriolis), by recursive Newton-Euler.
  void compute_smooth_forces() {
    std::array<Pack2, kMaxBodies> carried, velocity, force;
    std::array<Pack, kMaxBodies> torque;
    for (int b = 0; b < tree_.bodies; ++b) {
      const int p = tree_.parent[b];
      carried[b] = p < 0
                       ? Pack2{} - Pack2{gravity(tree_.axes[0]), gravity(tree_.axes[1])}
                       : fma(-angular_velocity_[p] * angular_velocity_[p], offset_[b], carried[p]);
      force[b] = number(b, kMass) *
                 fma(-angular_velocity_[b] * angular_velocity_[b], centre_of_mass_[b], carried[b]);
      torque[b] = Pack{};
      if (!tree_.fluid) continue;
      velocity[b] = p < 0 ? v[0] * broadcast(tree_.slides[0]) + v[1] * broadcast(tree_.slides[1])
                          : fma(angular_velocity_[p], quarter_turn(offset_[b]), velocity[p]);
      drag(b, fma(angular_velocity_[b], quarter_turn(centre_of_mass_[b]), velocity[b]), force[b],
           torque[b]);
    }
    for (int b = 0; b < tree_.bodies; ++b) torque[b] += cross(centre_of_mass_[b], force[b]);
    for (int b = tree_.bodies - 1; b > 0; --b) {
      const int p = tree_.parent[b];
      torque[p] += torque[b] + cross(offset_[b], force[b]);
      force[p] = force[p] + force[b];
    }
    for (int i = 0; i < tree_.dofs; ++i) {
      const Joint& joint = tree_.joints[i];
      const Pack inertial = i < 2 ? dot(broadcast(tree_.slides[i]), force[0]) : torque[i - 2];
      smooth_force_[i] = control[i] - inertial - of_dof(i, kStiffness) * (q[i] - joint.rest) -
                         of_dof(i, kDamping) * v[i];
    }
  }

  void drag(int b, const Pack2& velocity, Pack2& force, Pack& torque) const {
    const Pack2 side = rotated(b, vector(b, kSide));
    const Pack along = dot(side, velocity), across = cross(side, velocity),
               w = angular_velocity_[b];
    const auto against = [&](Pack motion, int linear, int square) {
      return motion * fma(number(b, square), abs(motion), number(b, linear));
    };
    force = fma(against(along, kDrag, kSquareDrag), side, force);
    force = fma(against(across, kDrag, kSquareDrag + 1), quarter_turn(side), force);
    torque += against(w, kDrag + 1, kSquareDrag + 2);
  }

  Pack2 end(int c, int which) const {
    const int b = tree_.capsules[c].body;
    return position_[b] + rotated(b, {of_capsule(c, which), of_capsule(c, which + 1)});
  }

  /// Marks the lanes in which two links touch as not covered.
  void detect_self_collision() {
    for (const Pair& pair : tree_.pairs) {
      const Pack2 a = end(pair.a, kFrom), c = end(pair.b, kFrom);
      const Pack2 ab = end(pair.a, kTo) - a, cd = end(pair.b, kTo) - c;
      const Pack2 ac = c - a, ad = ac + cd, cb = ab - ac;
      const Pack reach = of_capsule(pair.a, kRadius) + of_capsule(pair.b, kRadius) + pair.margin;
      // Far if the middles are further apart than two half-lengths and the reach; to save roots,
      // (s + t + u)^2 <= 3 (s^2 + t^2 + u^2).
      const Pack2 between = ac + (Pack{} + 0.5) * (cd - ab);
      const Mask near =
          dot(between, between) <= 0.75 * (dot(ab, ab) + dot(cd, cd)) + 3.0 * reach * reach;
      if (!any(near & covered)) continue;
      const Mask crossing =
          (cross(ab, ac) * cross(ab, ad) <= 0.0) & (cross(cd, ac) * cross(cd, cb) >= 0.0);
      const Pack least = min(min(to_segment(a, c, cd), to_segment(a + ab, c, cd)),
                             min(to_segment(c, a, ab), to_segment(c + cd, a, ab)));
      covered &= ~(near & (crossing | (least <= reach * reach)));
    }
  }

  /// One constraint row per joint limit and per pyramid edge of a floor contact that is within its
  /// margin.
  void make_constraint_rows() {
    clear_constraints();
    for (int b = 0; b < tree_.bodies; ++b) add_limit_row(b + 2, number(b, kJointInverseInertia));
    for_each_floor_end([&](int c, int end) { add_floor_contact(c, end == 0 ? kFrom : kTo); });
  }

  void add_floor_contact(int c, int which) {
    const Capsule& shape = tree_.capsules[c];
    const int b = shape.body, up = tree_.up, level = 1 - up;
    Pack2 at = end(c, which);
    const Pack height = at[up] - of_capsule(c, kRadius) - tree_.floor;
    const Pack clearance = height - shape.soft.margin;
    if (!any(clearance < 0.0)) return;
    at[up] -= of_capsule(c, kRadius) + 0.5 * height;
    Contact& contact = new_contact(b + 2);
    const double sign = up == 1 ? 1.0 : -1.0;  // a turn moves (x, y) by (-y, x)
    int t = 0;
    for (int a = b; a >= 0; a = tree_.parent[a], ++t) {
      contact.normal_row[t] = sign * (at[level] - position_[a][level]);
      contact.tangent_row[0][t] = -sign * (at[up] - position_[a][up]);
    }
    for (int j = 1; j >= 0; --j, ++t) {
      contact.normal_row[t] = Pack{} + tree_.slides[j][up];
      contact.tangent_row[0][t] = Pack{} + tree_.slides[j][level];
    }
    fill_contact_rows(contact, c, clearance, of_capsule(c, kContactInverseInertia));
  }

  const PlanarTree& tree_;
  const Pack* numbers_;
  std::array<Pack, kMaxBodies> angle_, sin_, cos_, angular_velocity_;
  std::array<Pack2, kMaxBodies> position_;        // where a body's joint is
  std::array<Pack2, kMaxBodies> offset_;          // from the parent's joint to the body's
  std::array<Pack2, kMaxBodies> centre_of_mass_;  // from the body's joint
};

}  // namespace

std::shared_ptr<const LaneSim> make_planar(const mjModel& model) {
  return Models<PlanarLanes>::of(model);
}

}  // namespace bpo::lanes
