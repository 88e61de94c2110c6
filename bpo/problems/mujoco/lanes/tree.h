// What the lane simulators know of a MuJoCo model and what the models of a grid share: the tree of
// its degrees of freedom, with springs, limits and actuators, and the shapes that meet the floor.
#pragma once

#include <mujoco/mujoco.h>

#include <array>
#include <vector>

namespace bpo::lanes {

inline constexpr int kMaxBodies = 16, kMaxDofs = 20, kMaxCapsules = 16;
/// The most entries of a symmetric matrix whose rows hold a degree of freedom's ancestors only.
inline constexpr int kMaxEntries = kMaxDofs * (kMaxDofs + 1) / 2;

/// MuJoCo's soft constraints: how firmly one pushes back, by how far it is violated.
struct Softness {
  double stiffness = 0.0, damping = 0.0;
  double low = 0.0, high = 0.0, width = 1.0, middle = 0.5;  // the parameters of its impedance
  bool quadratic = true;
  double margin = 0.0;
};

struct Joint {
  int qpos = 0;  // the index of its angle in MuJoCo's qpos
  double zero = 0.0, rest = 0.0;
  bool limited = false;
  double low = 0.0, high = 0.0;
  Softness soft;
};

struct Actuator {
  int dof = 0;
  bool limited = false;
  double low = 0.0, high = 0.0;
};

/// A capsule, or a ball, which has one end.
struct Capsule {
  int body = 0, ends = 2;
  int geom = 0, pair = -1;  // MuJoCo's; the pair with the floor, if there is an explicit one
  bool meets_floor = false;
  Softness soft;
};

/// Two capsules that can collide.
struct Pair {
  int a = 0, b = 0;
  double margin = 0.0;
};

enum class Integrator { kEuler, kRungeKutta, kOther };

/// Bodies are MuJoCo's without the world. A symmetric matrix has a row for each degree of freedom,
/// with entries for itself, its parent, and so on to the root: no others differ from zero.
struct Tree {
  int bodies = 0, dofs = 0;
  std::vector<int> parent;      // [body]
  std::vector<int> row, depth;  // [dof]: where its row begins, and how many entries it has
  std::vector<int> path;        // [entry]: the degree of freedom of its column
  std::vector<Joint> joints;    // [dof]
  std::vector<Actuator> actuators;
  std::vector<Capsule> capsules;
  std::vector<Pair> pairs;
  int floor_geom = -1;
  double step = 0.0, floor = 0.0;
  Integrator integrator = Integrator::kOther;
  bool damped = false;

  const int* path_of(int dof) const { return path.data() + row[dof]; }
};

/// Indices of the numbers of springs, motors, friction and gravity, which every model has its own
/// of: three per degree of freedom, then a gain per actuator, a friction per capsule, and gravity.
enum DriveNumber { kArmature = 0, kDamping, kStiffness, kPerDof };
inline constexpr int kMaxDrive = kPerDof * kMaxDofs + kMaxDofs + kMaxCapsules + 3;
inline int drive_size(const Tree& tree) {
  return kPerDof * tree.dofs + static_cast<int>(tree.actuators.size() + tree.capsules.size()) + 3;
}
/// Appends them; false if the model is not of the tree's kind.
bool read_drive(const mjModel& model, const Tree& tree, std::vector<double>& numbers);

/// A capsule's ends in its body's frame; a ball's are both its centre.
struct Ends {
  std::array<double, 3> from{}, to{};
};
Ends ends_of(const mjModel& model, int geom);

// Each returns false if the model is not of a kind that is covered.

/// Reads all but the joints.
bool read_common(const mjModel& model, Tree& tree);
/// Reads the next degree of freedom, whose parent is `above` (-1: the world), but not the position
/// and the axis of its joint.
bool read_dof(const mjModel& model, int joint, int above, Tree& tree);

}  // namespace bpo::lanes
