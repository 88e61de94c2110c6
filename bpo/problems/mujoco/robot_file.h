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
#include "bpo/problems/mujoco/quantities.h"
#include "bpo/problems/prior.h"

namespace bpo {

struct RobotLatent {
  std::string name;
  Edit edit;
  Prior prior;
  int bins = 5;
  double rate = 0.0;  // how probable it is that a step redraws it from the prior
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
  bool sees_state = true;  // the filter is told the simulator's state; else what the policy sees
  int particles = 0;       // how many the belief has; 0: it is a grid
  bool shows_moments = false;           // what the policy sees of the belief; else its cells
  int every = 1;                        // the filter looks at one step in so many
  std::optional<double> sigma;          // in every coordinate; none: the calibrated ones
  std::vector<double> calibrated;       // by coordinate; empty where that is still to be done
  std::vector<double> calibrated_seen;  // by number that the policy sees; 0 where that is state
  std::vector<RobotLatent> latents;
  int history = 0;  // control steps that a delay can reach back
  TrainingDefaults training;
  std::shared_ptr<const Sim> sim;  // as compiled, with the flags that edits need cleared
  std::shared_ptr<const ModelEdits> edits;

  double step_seconds() const { return frame_skip * sim->model().opt.timestep; }
  int cells() const;
  bool changes() const;
  /// Corners of the prior: all of them, or of many latents so many that any two meet in all four
  /// ways.
  std::vector<std::vector<double>> corners() const;
  /// Whether the bounded filter over a grid (filters/model_grid.h) is the right one: the state is
  /// told, and what is unknown stays as it is.
  bool on_plain_grid() const { return sees_state && particles == 0 && !changes(); }
  bool sees_sensor(const SeenNumber& seen) const;
};

/// `file` stands in messages; the model's files are those in the text or, where it has none, beside
/// `file`.
RobotFile read_robot(const std::string& problem, const std::string& text, const std::string& file);

/// The text with the model's files and the calibrated spreads in it, so that it stands alone.
std::string packed_robot(const std::string& text, const std::string& file);

}  // namespace bpo
