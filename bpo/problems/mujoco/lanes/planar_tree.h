// A robot that moves in a plane: what the models of a grid share, and where the numbers stand in
// which they differ.
#pragma once

#include <array>

#include "bpo/problems/mujoco/lanes/tree.h"

namespace bpo::lanes {

/// Body 0 has two slides and a hinge, every other a hinge, so that body b turns by degree of
/// freedom b + 2. Angles go from the plane's axis 0 to its axis 1.
struct PlanarTree : Tree {
  int normal = 0;                                 // the world's axis that is normal to the plane
  std::array<int, 2> axes{};                      // the two axes of the world in the plane
  std::array<std::array<double, 2>, 2> slides{};  // directions of the slides
  int up = 0;                                     // the plane's axis that points up from the floor
  bool fluid = false;
};

namespace planar {

/// Indices of the numbers of a body and of a capsule; those of the bodies come first. A pair of
/// numbers is a vector in the plane.
enum BodyNumber {
  kOffset = 0,  // from the parent's joint to its own, in the parent's frame
  kCentre = 2,  // from its joint to its centre of mass, in its own frame
  kMass = 4,
  kInertia,
  kJointInverseInertia,  // MuJoCo's inverse inertia seen by the joint
  kSide,                 // direction of a side of the box that meets the fluid
  kDrag = 9,             // viscous drag coefficients: linear, angular
  kSquareDrag = 11,      // drag by velocity^2: along the side, across it, angular
  kPerBody = 14
};
enum CapsuleNumber {
  kFrom = 0,
  kTo = 2,
  kRadius = 4,
  kContactInverseInertia,  // MuJoCo's inverse inertia seen by a contact
  kPerCapsule
};

}  // namespace planar

/// False if the model is not of the kind described.
bool read_planar(const mjModel& model, PlanarTree& tree);
bool read_planar_numbers(const mjModel& model, const PlanarTree& tree,
                         std::vector<double>& numbers);

}  // namespace bpo::lanes
