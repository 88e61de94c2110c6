// A robot that moves in a plane: what the models of a grid share, and where the numbers stand in
// which they differ.
#pragma once

#include <array>

#include "bpo/problems/mujoco/lanes/tree.h"

namespace bpo::lanes {

/// Body 0 has two slides and a hinge, every other a hinge, so that body b turns by degree of
/// freedom b + 2. Angles go from the plane's axis 0 to its axis 1.
struct PlanarTree : Tree {
  int normal = 0;                                 // to the plane, of the world's axes
  std::array<int, 2> axes{};                      // of the world's
  std::array<std::array<double, 2>, 2> slides{};  // directions in the plane
  std::array<double, 2> gravity{};
  int up = 0;  // the plane's axis along which the floor pushes
  bool fluid = false;
};

namespace planar {

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

}  // namespace planar

/// False if the model is not of the kind described.
bool read_planar(const mjModel& model, PlanarTree& tree);
bool read_planar_numbers(const mjModel& model, const PlanarTree& tree,
                         std::vector<double>& numbers);

}  // namespace bpo::lanes
