// What a robot file amounts to, before anything is trained on it: sizes, speed, and what can be
// learnt of each latent. Fisher information is of one control step under the filter's noise,
//   I = E[z z'],  z_i = d f(o, a, phi) / d phi_i * sd_i / sigma,
// by central differences along episodes of random actions with latents from the prior; sd_i is the
// prior's standard deviation. A filter that is not told the state expects a reading, by the Kalman
// filter of the model phi, with the spread of its innovation in the place of sigma. After n steps
// the posterior's covariance, in units of the prior's, is about (n I + 1)^-1: how many steps bring
// a latent's spread to a quarter, and which latents stay correlated.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bpo/core/problem_file.h"
#include "bpo/problems/mujoco/own_robot.h"

namespace bpo {

struct LatentCheck {
  std::string name;
  double effect = 0.0;  // what one prior sd does to one step, in sds of the noise
  double steps = 0.0;   // until its spread is a quarter of the prior's; infinite: never
  std::vector<std::string> confounded;  // those that a whole episode cannot tell from it
};

/// Under random actions, or those of somebody.
std::vector<LatentCheck> check_latents(const OwnRobot& robot, const ActsOn& who = {});

/// Corners of the prior that make no valid model, as sentences.
std::vector<std::string> invalid_corners(const RobotFile& file);

/// The largest relative difference between the compiled model and the one that edits which change
/// nothing derive.
double edit_drift(const RobotFile& file);

/// The values of all latents that leave the model as it was compiled; none where one value is set
/// for several things that differ.
std::vector<std::optional<double>> neutral_values(const RobotFile& file);

/// All of it for one file, as text and as JSON.
FileFindings check_robot(const std::string& text, const std::string& file, const ActsOn& who);

/// How the robot is recorded: joints by their names, controls as control:NAME.
RecordingFormat robot_recording(const std::string& text, const std::string& file);

/// Its latents that are delays.
std::vector<ActionDelay> robot_delays(const std::string& text, const std::string& file);

/// A commented robot file for the MJCF file at `path`.
std::string robot_to_start_from(const std::string& path);

}  // namespace bpo
