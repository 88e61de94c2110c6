// A robot that moves in space: what the models of a grid share, and where the numbers stand in
// which they differ.
#pragma once

#include <array>

#include "bpo/problems/mujoco/lanes/tree.h"

namespace bpo::lanes {

/// Body 0 has a free joint, degrees of freedom 0 to 5; every other has a hinge, or is fixed to its
/// parent.
struct SpatialTree : Tree {
  std::vector<int> hinge;                   // [body]: the degree of freedom of its hinge, or -1
  std::vector<int> last;                    // [body]: the last degree of freedom that moves it
  std::vector<std::array<double, 3>> axis;  // [body]: the axis of its hinge
};

namespace spatial {

/// Indices of the numbers of a body and of a capsule; those of the bodies come first.
enum BodyNumber {
  kOffset = 0,  // from the parent's joint to its own, in the parent's frame
  kCentre = 3,  // from its joint to its centre of mass, in its own frame
  kMass = 6,
  kInertia = 7,  // about its centre of mass: xx, yy, zz, xy, xz, yz
  kJointInverseInertia = 13,
  kPerBody = 14
};
enum CapsuleNumber { kFrom = 0, kTo = 3, kRadius = 6, kContactInverseInertia, kPerCapsule };

}  // namespace spatial

/// False if the model is not of the kind described.
bool read_spatial(const mjModel& model, SpatialTree& tree);
bool read_spatial_numbers(const mjModel& model, const SpatialTree& tree,
                          std::vector<double>& numbers);

}  // namespace bpo::lanes
