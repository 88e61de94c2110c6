// What the lane simulators know of a MuJoCo model and what the models of a grid share: the tree of
// its degrees of freedom, with springs, limits and motors, and the shapes that meet the floor.
#pragma once

#include <mujoco/mujoco.h>

#include <array>
#include <vector>

namespace bpo::lanes {

inline constexpr int kMaxBodies = 16, kMaxDofs = 20, kMaxCapsules = 16;
/// Of a symmetric matrix of which a row holds an element's ancestors only.
inline constexpr int kMaxEntries = kMaxDofs * (kMaxDofs + 1) / 2;

/// MuJoCo's soft constraints: how one pushes back, by how far it is violated.
struct Softness {
  double stiffness = 0.0, damping = 0.0;
  double low = 0.0, high = 0.0, width = 1.0, middle = 0.5;  // of its impedance
  bool quadratic = true;
  double margin = 0.0;
};

struct Joint {
  int qpos = 0;  // where its angle stands
  double zero = 0.0, armature = 0.0, damping = 0.0, stiffness = 0.0, rest = 0.0;
  bool limited = false;
  double low = 0.0, high = 0.0;
  Softness soft;
};

struct Motor {
  int dof = 0;
  double gain = 0.0;
  bool limited = false;
  double low = 0.0, high = 0.0;
};

/// Or a ball, with one end.
struct Capsule {
  int body = 0, ends = 2;
  bool meets_floor = false;
  double friction = 0.0;
  Softness soft;
};

/// Two capsules that feel each other.
struct Pair {
  int a = 0, b = 0;
  double margin = 0.0;
};

/// Bodies are MuJoCo's without the world. A symmetric matrix has a row for each degree of freedom,
/// with entries for itself, its parent, and so on to the root: no others differ from zero.
struct Tree {
  int bodies = 0, dofs = 0;
  std::vector<int> parent;      // [body]
  std::vector<int> row, depth;  // [dof]: where it begins, and of how many entries
  std::vector<int> path;        // [entry]: which degree of freedom
  std::vector<Joint> joints;    // [dof]
  std::vector<Motor> motors;
  std::vector<Capsule> capsules;
  std::vector<Pair> pairs;
  double step = 0.0, floor = 0.0;
  bool damped = false;

  const int* path_of(int dof) const { return path.data() + row[dof]; }
};

/// A capsule's ends in its body's frame; a ball's are both its centre.
struct Ends {
  std::array<double, 3> from{}, to{};
};
Ends ends_of(const mjModel& model, int geom);

// Each returns false if the model is not of a kind that is covered.

/// All but joints.
bool read_common(const mjModel& model, Tree& tree);
/// The next degree of freedom, on top of `above` (-1: the world). Not its joint's place and axis.
bool read_dof(const mjModel& model, int joint, int above, Tree& tree);

}  // namespace bpo::lanes
