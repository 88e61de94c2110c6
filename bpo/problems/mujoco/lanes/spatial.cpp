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

struct SpatialVector {
  Pack3 angular{}, linear{};

  friend SpatialVector operator+(const SpatialVector& a, const SpatialVector& b) {
    return {a.angular + b.angular, a.linear + b.linear};
  }
  friend SpatialVector operator*(Pack s, const SpatialVector& a) {
    return {s * a.angular, s * a.linear};
  }
  friend SpatialVector fma(Pack s, const SpatialVector& a, const SpatialVector& b) {
    return {lanes::fma(s, a.angular, b.angular), lanes::fma(s, a.linear, b.linear)};
  }
  /// The power of a force along a motion.
  friend Pack dot(const SpatialVector& a, const SpatialVector& b) {
    return lanes::dot(a.angular, b.angular) + lanes::dot(a.linear, b.linear);
  }
};
/// The rate of change of a motion vector that is fixed to a body which moves by `by`
/// (Featherstone's v x m).
SpatialVector cross_motion(const SpatialVector& by, const SpatialVector& a) {
  return {cross(by.angular, a.angular), cross(by.angular, a.linear) + cross(by.linear, a.angular)};
}
/// The same for a force or a momentum (Featherstone's v x* f).
SpatialVector cross_force(const SpatialVector& by, const SpatialVector& a) {
  return {cross(by.angular, a.angular) + cross(by.linear, a.linear), cross(by.angular, a.linear)};
}

struct Rotation {
  Pack3 x, y, z;  // its columns

  Pack3 operator*(const Pack3& a) const { return fma(a[2], z, fma(a[1], y, a[0] * x)); }
};

/// A spatial inertia about the root: mass, first and second moments.
struct Inertia {
  Pack mass;
  Pack3 first_moment;
  std::array<Pack, 6> second_moment;  // xx, yy, zz, xy, xz, yz

  SpatialVector operator*(const SpatialVector& a) const {
    const auto& [xx, yy, zz, xy, xz, yz] = second_moment;
    const Rotation columns{{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}};
    return {columns * a.angular + cross(first_moment, a.linear),
            fma(mass, a.linear, cross(a.angular, first_moment))};
  }
  void operator+=(const Inertia& other) {
    mass += other.mass;
    first_moment = first_moment + other.first_moment;
    for (std::size_t k = 0; k < second_moment.size(); ++k)
      second_moment[k] += other.second_moment[k];
  }
};

class SpatialLanes : public ConstraintSolver<2> {
 public:
  using TreeT = SpatialTree;
  struct Place {
    Pack3 root;
    std::array<Pack, 4> quat;
    DofVector q;
  };
  static constexpr auto read = read_spatial;
  static constexpr auto read_numbers = read_spatial_numbers;
  static constexpr int kNumbers = kPerBody * kMaxBodies + kPerCapsule * kMaxCapsules + kMaxDrive;

  SpatialLanes(const SpatialTree& tree, const Pack* numbers)
      : ConstraintSolver(tree, numbers + kPerBody * tree.bodies +
                                   kPerCapsule * static_cast<int>(tree.capsules.size())),
        tree_(tree),
        numbers_(numbers) {}

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

  /// Finds the acceleration at (place, v).
  void accelerate() {
    forward_kinematics();
    compute_mass_matrix();
    compute_smooth_forces();
    make_constraint_rows();
    solve_constraints();
  }

  Place place() const { return {root_, quat_, q}; }
  void displace(const Place& from, const DofVector& velocity, double time) {
    const Pack3 w{velocity[3], velocity[4], velocity[5]};
    const Pack speed = sqrt(dot(w, w));
    Pack sine, c;
    sin_cos(0.5 * time * speed, sine, c);
    const auto [x, y, z] = (speed > 1e-10 ? sine / speed : Pack{} + 0.5 * time) * w;
    const auto [a, i, j, k] = from.quat;
    quat_ = {a * c - i * x - j * y - k * z, a * x + i * c + j * z - k * y,
             a * y - i * z + j * c + k * x, a * z + i * y - j * x + k * c};
    covered &= time * speed < 1e5;
    const auto moved = [&](Pack start, int dof) {
      const Pack to = fma(time, velocity[dof], start);
      covered &= abs(to) < 1e10;  // false for NaN
      return to;
    };
    for (int dof = 0; dof < 3; ++dof) root_[dof] = moved(from.root[dof], dof);
    for (int dof = 6; dof < tree_.dofs; ++dof) q[dof] = moved(from.q[dof], dof);
  }

 private:
  const Pack& number(int b, int which) const { return numbers_[kPerBody * b + which]; }
  Pack3 vector(int b, int which) const {
    return {number(b, which), number(b, which + 1), number(b, which + 2)};
  }
  const Pack& of_capsule(int c, int which) const {
    return numbers_[kPerBody * tree_.bodies + kPerCapsule * c + which];
  }
  Pack3 capsule_vector(int c, int which) const {
    return {of_capsule(c, which), of_capsule(c, which + 1), of_capsule(c, which + 2)};
  }

  /// Positions and rotations of the bodies, and the motion subspace of each degree of freedom.
  void forward_kinematics() {
    Pack square{};
    for (const Pack& x : quat_) square += x * x;
    const Pack scale = 1.0 / sqrt(square);
    for (Pack& x : quat_) x *= scale;
    const auto& [w, x, y, z] = quat_;
    rotation_[0] = {{w * w + x * x - y * y - z * z, 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)},
                    {2.0 * (x * y - w * z), w * w - x * x + y * y - z * z, 2.0 * (y * z + w * x)},
                    {2.0 * (x * z + w * y), 2.0 * (y * z - w * x), w * w - x * x - y * y + z * z}};
    position_[0] = {};
    for (int k = 0; k < 3; ++k) {
      motion_subspace_[k] = {};
      motion_subspace_[k].linear[k] = Pack{} + 1.0;
    }
    motion_subspace_[3] = {rotation_[0].x, {}};
    motion_subspace_[4] = {rotation_[0].y, {}};
    motion_subspace_[5] = {rotation_[0].z, {}};
    for (int b = 1; b < tree_.bodies; ++b) {
      const int p = tree_.parent[b], dof = tree_.hinge[b];
      const Rotation& parent = rotation_[p];
      position_[b] = position_[p] + parent * vector(b, kOffset);
      rotation_[b] = parent;
      if (dof < 0) continue;
      const Pack3 axis = parent * broadcast(tree_.axis[b]);
      const Pack angle = q[dof] - tree_.joints[dof].zero;
      covered &= abs(angle) < 1e5;
      Pack sine, cosine;
      sin_cos(angle, sine, cosine);
      const auto rotated = [&](const Pack3& a) {
        return fma((1.0 - cosine) * dot(axis, a), axis, fma(sine, cross(axis, a), cosine * a));
      };
      rotation_[b] = {rotated(parent.x), rotated(parent.y), rotated(parent.z)};
      motion_subspace_[dof] = {axis, cross(position_[b], axis)};
    }
  }

  /// The mass matrix, by the composite-rigid-body algorithm.
  void compute_mass_matrix() {
    std::array<Inertia, kMaxBodies> composite;
    for (int b = 0; b < tree_.bodies; ++b) composite[b] = body_inertia_[b] = inertia_of(b);
    for (int b = tree_.bodies - 1; b > 0; --b) composite[tree_.parent[b]] += composite[b];
    const auto fill_row = [&](int dof, const Inertia& inertia) {
      const SpatialVector momentum = inertia * motion_subspace_[dof];
      Pack* row = mass_matrix_.data() + tree_.row[dof];
      const int* path = tree_.path_of(dof);
      for (int t = 0; t < tree_.depth[dof]; ++t) row[t] = dot(motion_subspace_[path[t]], momentum);
      row[0] += of_dof(dof, kArmature);
    };
    for (int dof = 0; dof < 6; ++dof) fill_row(dof, composite[0]);
    for (int b = 1; b < tree_.bodies; ++b) {
      if (tree_.hinge[b] >= 0) fill_row(tree_.hinge[b], composite[b]);
    }
  }

  Inertia inertia_of(int b) const {
    const Rotation& rotation = rotation_[b];
    const Pack mass = number(b, kMass);
    const Pack3 r = position_[b] + rotation * vector(b, kCentre);
    const Pack* i = numbers_ + kPerBody * b + kInertia;
    const Pack3 x = rotation * Pack3{i[0], i[3], i[4]}, y = rotation * Pack3{i[3], i[1], i[5]},
                z = rotation * Pack3{i[4], i[5], i[2]};
    const auto rotated = [&](int j, int k) {
      return dot(Pack3{x[j], y[j], z[j]}, Pack3{rotation.x[k], rotation.y[k], rotation.z[k]});
    };
    const Pack3 first_moment = mass * r;
    const Pack square = dot(first_moment, r);
    return {
        mass,
        first_moment,
        {rotated(0, 0) + square - first_moment[0] * r[0],
         rotated(1, 1) + square - first_moment[1] * r[1],
         rotated(2, 2) + square - first_moment[2] * r[2], rotated(0, 1) - first_moment[0] * r[1],
         rotated(0, 2) - first_moment[0] * r[2], rotated(1, 2) - first_moment[1] * r[2]}};
  }

  /// The generalised forces without those of constraints: actuators, springs and dampers, minus the
  /// bias forces (gravity, centrifugal and Coriolis), by recursive Newton-Euler.
  void compute_smooth_forces() {
    std::array<SpatialVector, kMaxBodies> velocity, carried, force;
    for (int b = 0; b < tree_.bodies; ++b) {
      const int p = tree_.parent[b], dof = tree_.hinge[b];
      if (b == 0) {
        // The root's axes turn with it, about a point that moves.
        for (int i = 0; i < 6; ++i) velocity[0] = fma(v[i], motion_subspace_[i], velocity[0]);
        carried[0].linear = cross(velocity[0].linear, velocity[0].angular) -
                            Pack3{gravity(0), gravity(1), gravity(2)};
      } else {
        velocity[b] = velocity[p];
        carried[b] = carried[p];
        if (dof >= 0) {
          const SpatialVector turning = v[dof] * motion_subspace_[dof];
          carried[b] = carried[b] + cross_motion(velocity[p], turning);
          velocity[b] = velocity[b] + turning;
        }
      }
      force[b] =
          body_inertia_[b] * carried[b] + cross_force(velocity[b], body_inertia_[b] * velocity[b]);
    }
    for (int b = tree_.bodies - 1; b > 0; --b) {
      force[tree_.parent[b]] = force[tree_.parent[b]] + force[b];
    }
    for (int i = 0; i < 6; ++i) {
      smooth_force_[i] =
          control[i] - dot(motion_subspace_[i], force[0]) - of_dof(i, kDamping) * v[i];
    }
    for (int b = 1; b < tree_.bodies; ++b) {
      const int i = tree_.hinge[b];
      if (i < 0) continue;
      const Joint& joint = tree_.joints[i];
      smooth_force_[i] = control[i] - dot(motion_subspace_[i], force[b]) -
                         of_dof(i, kStiffness) * (q[i] - joint.rest) - of_dof(i, kDamping) * v[i];
    }
  }

  /// One constraint row per joint limit and per pyramid edge of a floor contact that is within its
  /// margin.
  void make_constraint_rows() {
    clear_constraints();
    for (int b = 1; b < tree_.bodies; ++b) {
      if (tree_.hinge[b] >= 0) add_limit_row(tree_.hinge[b], number(b, kJointInverseInertia));
    }
    for_each_floor_end([&](int c, int end) { add_floor_contact(c, end == 0 ? kFrom : kTo); });
  }

  void add_floor_contact(int c, int which) {
    const Capsule& shape = tree_.capsules[c];
    const int b = shape.body;
    Pack3 at = position_[b] + rotation_[b] * capsule_vector(c, which);
    const Pack height = root_[2] + at[2] - of_capsule(c, kRadius) - tree_.floor;
    const Pack clearance = height - shape.soft.margin;
    if (!any(clearance < 0.0)) return;
    at[2] -= of_capsule(c, kRadius) + 0.5 * height;
    // The pyramid stands along the capsule; a ball's along y, an upright capsule's along x.
    Pack x{}, y = Pack{} + 1.0;
    if (shape.ends == 2) {
      const Pack3 way = rotation_[b] * (capsule_vector(c, kTo) - capsule_vector(c, kFrom));
      const Pack length = sqrt(way[0] * way[0] + way[1] * way[1]);
      const Mask leans = length > 1e-14;
      x = leans ? way[0] / length : Pack{} + 1.0;
      y = leans ? way[1] / length : Pack{};
    }
    Contact& contact = new_contact(tree_.last[b]);
    const int* path = tree_.path_of(contact.dof);
    for (int t = 0; t < tree_.depth[contact.dof]; ++t) {
      const SpatialVector& motion = motion_subspace_[path[t]];
      const Pack3 jacobian = motion.linear + cross(motion.angular, at);
      contact.normal_row[t] = jacobian[2];
      contact.tangent_row[0][t] = fma(x, jacobian[0], y * jacobian[1]);
      contact.tangent_row[1][t] = determinant(x, y, jacobian[0], jacobian[1]);
    }
    fill_contact_rows(contact, c, clearance, of_capsule(c, kContactInverseInertia));
  }

  const SpatialTree& tree_;
  const Pack* numbers_;
  Pack3 root_;
  std::array<Pack, 4> quat_;
  std::array<Rotation, kMaxBodies> rotation_;
  std::array<Pack3, kMaxBodies> position_;
  std::array<SpatialVector, kMaxDofs> motion_subspace_;
  std::array<Inertia, kMaxBodies> body_inertia_;
};

}  // namespace

std::shared_ptr<const LaneSim> make_spatial(const mjModel& model) {
  return Models<SpatialLanes>::of(model);
}

}  // namespace bpo::lanes
