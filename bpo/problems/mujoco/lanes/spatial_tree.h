// A robot that moves in space: what the models of a grid share, and where the numbers stand in
// which they differ.
#pragma once

#include <array>

#include "bpo/problems/mujoco/lanes/tree.h"

namespace bpo::lanes {

/// Body 0 has a free joint, degrees of freedom 0 to 5; every other has a hinge, or is fixed to its
/// parent.
struct SpatialTree : Tree {
  std::vector<int> hinge;                   // [body]: its degree of freedom, or -1
  std::vector<int> last;                    // [body]: the last one that moves it
  std::vector<std::array<double, 3>> axis;  // [body]: of its hinge
  std::array<double, 3> gravity{};
};

namespace spatial {

/// Where the numbers of a body and of a capsule stand; the bodies' come first.
enum BodyNumber {
  kOffset = 0,  // of its joint, in its parent
  kCentre = 3,  // of its mass, in itself
  kMass = 6,
  kInertia = 7,  // about that centre: xx, yy, zz, xy, xz, yz
  kJointWeight = 13,
  kPerBody = 14
};
enum CapsuleNumber { kFrom = 0, kTo = 3, kRadius = 6, kWeight, kPerCapsule };

}  // namespace spatial

/// False if the model is not of the kind described.
bool read_spatial(const mjModel& model, SpatialTree& tree);
bool read_spatial_numbers(const mjModel& model, const SpatialTree& tree,
                          std::vector<double>& numbers);

}  // namespace bpo::lanes
