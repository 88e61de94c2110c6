// What can be measured of a robot as one number: what rewards are made of and what ends an episode.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bpo/problems/mujoco/sim.h"

namespace bpo {

enum class Quantity {
  kAlive,       // 1
  kControl,     // sum of squares of the action, as it was chosen
  kSpeed,       // a body's or site's along an axis, mean over the step
  kPosition,    // a body's or site's, or its distance from a place
  kPose,        // how far a body or site is turned, or joints are away, from a pose
  kUpright,     // cosine between a body's z-axis and the world's
  kJoint,       // a joint's position
  kJointSpeed,  // a joint's velocity
  kSensor,      // a sensor's reading; of a vector its length, or its distance from another
  kEnergy,      // mechanical power of all actuators, as absolute values
  kContact      // 1 while a body touches anything, else 0
};

/// A quantity of something in the model.
struct Measure {
  Quantity what = Quantity::kAlive;
  bool site = false;
  int id = 0, axis = 0;
  std::optional<std::array<double, 3>> to;  // the place that a position is measured from
  std::vector<double> target;               // a turn's quaternion, or joints' or a sensor's numbers
  std::vector<int> joints;                  // where a pose's joints are in the state
};

/// weight * clip(|x - target|^power), or weight * clip(x) without target and power.
struct RewardTerm {
  std::string name;
  Measure measure;
  double weight = 1.0, power = 1.0;
  std::optional<double> target;
  double least = -1e300, most = 1e300;

  double value(double x) const;
};

/// The episode ends where a quantity leaves its limits.
struct Termination {
  std::string name;
  Measure measure;
  double least = -1e300, most = 1e300;
};

/// How much of a state MuJoCo has to work out for a measure.
enum class Depth { kState, kKinematics, kForces };
Depth depth_of(const Measure& measure);

/// A measure's value in the state that `sim` has looked at. `way` is what its place moved since the
/// control step before (of a speed), in m.
double measured(const Sim& sim, const Measure& measure, std::span<const float> action, double way,
                double seconds);
/// Where what a speed is of stands along its axis.
double place_of(const Sim& sim, const Measure& measure);

}  // namespace bpo
