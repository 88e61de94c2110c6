// A robot in a file: MJCF and a TOML that says what is rewarded, seen and unknown.
// docs/own-robot.md describes the format. What is read here is checked against the compiled model:
// names, sizes and ranges that do not fit are refused with their place.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bpo/core/any_problem.h"
#include "bpo/problems/mujoco/edits.h"
#include "bpo/problems/mujoco/prior.h"
#include "bpo/problems/mujoco/quantities.h"

namespace bpo {

struct RobotLatent {
  std::string name;
  Edit edit;
  Prior prior;
  int bins = 5;
  std::string place;  // in the file, for messages
};

/// A number that the policy sees: which of (state, controls sent before, sensors) it is.
struct SeenNumber {
  std::string name;
  int source = 0;
  double noise = 0.0;  // standard deviation
};

struct RobotFile {
  std::string name;
  std::vector<MjcfFile> files;
  int frame_skip = 5, horizon = 200;
  int keyframe = -1;  // -1: the model's own pose
  double qpos_noise = 0.0, qvel_noise = 0.0;
  Camera camera = Camera::kSide;
  std::vector<SeenNumber> seen;
  bool sees_sensors = false;
  std::vector<RewardTerm> rewards;
  std::vector<Termination> terminations;
  std::optional<double> sigma;     // in every coordinate; none: the calibrated ones
  std::vector<double> calibrated;  // by coordinate; empty where that is still to be done
  std::vector<RobotLatent> latents;
  int history = 0;  // control steps that a delay can reach back
  TrainingDefaults training;
  std::shared_ptr<const Sim> sim;  // as compiled, with the flags that edits need cleared
  std::shared_ptr<const ModelEdits> edits;

  double step_seconds() const { return frame_skip * sim->model().opt.timestep; }
  int cells() const;
};

/// `file` stands in messages; the model's files are those in the text or, where it has none, beside
/// `file`.
RobotFile read_robot(const std::string& problem, const std::string& text, const std::string& file);

/// The text with the model's files and the calibrated spreads in it, so that it stands alone.
std::string packed_robot(const std::string& text, const std::string& file);

}  // namespace bpo
