// A robot from a file (robot_file.h), as a problem: any number of latents, sizes known only now.
//
// A control step is frame_skip time steps; actions in [-1, 1] become controls in their ranges. The
// belief is over a grid of models, p(o' | o, a, phi) = N(o'; f(o, a, phi), diag(sigma^2)), f being
// one control step of the model phi from the state (qpos, qvel, act), as for the robots of Sec. 5;
// the filter is told the state, whatever the policy sees. Differences of positions are taken along
// the degrees of freedom, so that turns in space count as turns. A delay and the bias of an encoder
// are the problem's own: the state holds the controls that were sent and are still to come, and
// each model reads positions by its own bias. Worlds and models move on lanes where those cover the
// model and all its latents, else by MuJoCo.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bpo/core/any_problem.h"
#include "bpo/problems/mujoco/lanes/lane_sim.h"
#include "bpo/problems/mujoco/robot_file.h"

namespace bpo {

struct OwnRobotOptions {
  std::shared_ptr<const RobotFile> file;
  std::int64_t horizon = 200;
  std::vector<std::optional<double>> fixed;  // [latent]: the world's own, if a person fixed it
  std::string simulator = "lanes";

  void visit(OptionVisitor& v);
  TrainingDefaults training() const;
};

class OwnRobot {
 public:
  struct Latent {
    std::vector<double> values;
    Patch patch;
    LaneSim::Numbers numbers;  // none where lanes do not cover the model
    int delay = 0;             // in time steps
    std::vector<double> bias;  // [qpos]; empty without biases
  };
  struct State {
    std::vector<double> x;       // qpos, qvel, act
    std::vector<float> sent;     // controls of the steps before, the latest first
    std::vector<double> places;  // of what speeds are measured of
    std::vector<double> sensors;
  };
  /// The state as it is read, the controls sent before, and what the policy sees.
  using Observation = std::vector<double>;
  using Action = std::span<const float>;

  explicit OwnRobot(const OwnRobotOptions& options);

  ProblemSpec spec() const;
  ProblemView view() const;

  Latent sample_latent(Rng& rng) const;
  Latent nominal_latent() const;
  State sample_state(const Latent& phi, Rng& rng) const;
  StepResult step(State& s, const Latent& phi, Action a, Rng&) const;
  void step_together(std::span<Move<OwnRobot>> moves) const;
  Observation observe(const State& s, const Latent& phi, Rng& rng) const;
  void encode(const Observation& o, std::span<float> out) const;
  void encode_latent(const Latent& phi, std::span<float> out) const;
  std::vector<Solid> scene(const State& s, const Latent& phi) const;

  // Plain numbers, for agents.
  int observation_size() const;
  void to_numbers(const Observation& o, std::span<double> out) const;
  Observation from_numbers(std::span<const double> in) const { return {in.begin(), in.end()}; }

  // The grid of models.
  int factors() const { return static_cast<int>(file_->latents.size()); }
  int cells() const { return static_cast<int>(cells_->size()); }
  const std::vector<double>& cell_factors(int cell) const { return (*cells_)[cell].values; }
  int together() const { return lanes_ ? LaneSim::kPackSize : 1; }
  void log_likelihoods(std::span<const ModelQuery<OwnRobot>> queries, std::span<double> out) const;

  /// The latent of these values; values without a valid model are bad_input.
  Latent latent(std::vector<double> values) const;
  /// By how much a step of the model phi misses `next`, by degree of freedom: positions,
  /// velocities, activations. False if the simulation breaks down.
  bool residual(const Latent& phi, const Observation& o, Action a, const Observation& next,
                std::span<double> out) const;
  int residual_size() const;
  /// 1 / sigma^2 of a residual's number.
  double precision(std::size_t i) const { return precision_[i]; }
  bool on_lanes() const { return lanes_ != nullptr; }
  const RobotFile& file() const { return *file_; }

 private:
  std::vector<float> controls(Action a) const;
  bool advance(const Latent& phi, std::span<double> x, std::span<const float> now,
               std::span<const float> sent) const;
  void refresh(State& s, const Latent& phi, std::span<const float> now) const;
  StepResult finish(State& s, const Latent& phi, Action a, std::span<const float> now) const;
  void subtract(std::span<const double> predicted, const Observation& next, const Latent& phi,
                std::span<double> out) const;
  double log_density(std::span<const double> residual) const;
  void check_corners() const;

  std::shared_ptr<const RobotFile> file_;
  int horizon_;
  std::vector<std::optional<double>> fixed_;
  bool world_on_lanes_;
  mutable Sim sim_;
  std::shared_ptr<const LaneSim> lanes_;  // null where it does not cover the robot
  std::shared_ptr<const std::vector<Latent>> cells_;
  Depth depth_ = Depth::kState;
  std::vector<Measure> speeds_;
  std::vector<double> precision_;  // [residual]: 1 / sigma^2
};

/// The spreads of one-step predictions by the nearest cell, so scaled that intervals of the belief
/// cover the truth as often as they say, on episodes of random actions.
std::vector<double> calibrated_sigma(const OwnRobot& robot);

}  // namespace bpo
