// What the planar simulator knows of a MuJoCo model: the tree of its joints, springs, motors and
// shapes, which the models of a grid share, and the numbers in which they differ.
#pragma once

#include <mujoco/mujoco.h>

#include <array>
#include <vector>

namespace bpo::planar {

inline constexpr int kLanes = 4;  // models at a time
inline constexpr int kMaxBodies = 12, kMaxDofs = kMaxBodies + 2, kMaxCapsules = 16;
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

/// Bodies in MuJoCo's order, without the world. Body 0 has two slides and a hinge, every other a
/// hinge, so that body b turns by degree of freedom b + 2. Angles go from the plane's axis 0 to its
/// axis 1.
struct Tree {
  int bodies = 0, dofs = 0;
  int normal = 0;                                 // to the plane, of the world's axes
  std::array<int, 2> axes{};                      // of the world's
  std::array<std::array<double, 2>, 2> slides{};  // directions in the plane
  std::vector<int> parent;                        // [body]
  std::vector<int> row, depth;                    // [dof]: of a matrix, where and how long it is
  std::vector<int> path;                          // [entry]: its column
  std::vector<Joint> joints;                      // [dof]
  std::vector<Motor> motors;
  std::vector<Capsule> capsules;
  std::vector<Pair> pairs;
  std::array<double, 2> gravity{};
  double step = 0.0, floor = 0.0;
  int up = 0;  // the plane's axis along which the floor pushes
  bool damped = false, fluid = false;
};

/// Where the numbers of a body and of a capsule stand; the bodies' come first. A pair of numbers is
/// a vector in the plane.
enum BodyNumber {
  kOffset = 0,  // of its joint, in its parent
  kCentre = 2,  // of its mass, in itself
  kMass = 4,
  kInertia,
  kJointWeight,      // MuJoCo's inverse inertia seen by the joint
  kSide,             // direction of a side of the box that meets the fluid
  kDrag = 9,         // viscous: of moving, of turning
  kSquareDrag = 11,  // by speed^2: along the side, across it, of turning
  kPerBody = 14
};
enum CapsuleNumber {
  kFrom = 0,
  kTo = 2,
  kRadius = 4,
  kWeight,  // MuJoCo's inverse inertia seen by a contact
  kPerCapsule
};

/// False if the model is not of the kind described.
bool read_tree(const mjModel& model, Tree& tree);
bool read_numbers(const mjModel& model, const Tree& tree, std::vector<double>& numbers);

}  // namespace bpo::planar
