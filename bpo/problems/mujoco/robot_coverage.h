// Is a robot's belief calibrated? Latents are drawn from the prior, random actions are held for
// five steps each, and at the end of every episode the posterior says how probable values below the
// truth are. If the belief is right these ranks are uniform, so that a 90 % interval holds the
// truth in 90 % of the episodes.
#pragma once

#include <cstdint>
#include <vector>

#include "bpo/problems/mujoco/own_robot.h"

namespace bpo {

struct CoverageRun {
  std::uint64_t seed = 0;
  int episodes = 500;
  int steps = 100;  // an episode's, at most the horizon
  double level = 0.9;
};

struct Coverage {
  std::vector<double> share;  // [factor]: of the truths, those within their intervals

  double mean() const;
  /// The middle between the least and the most.
  double middle() const;
};

/// Measures with the filter that the robot's file asks for.
Coverage coverage(const OwnRobot& robot, const CoverageRun& run);

}  // namespace bpo
