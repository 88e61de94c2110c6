// A robot from a file (robot_file.h), as a problem: any number of latents, sizes known only now.
//
// A control step is frame_skip time steps; actions in [-1, 1] become controls in their ranges. The
// belief is over a grid of models, p(o' | o, a, phi) = N(o'; f(o, a, phi), diag(sigma^2)), f being
// one control step of the model phi from the state (qpos, qvel, act), as for the robots of Sec. 5.
// That is for a filter that is told the state; one that sees what the policy sees, has particles or
// knows that latents change is a RobotFilter. Differences of positions are taken along the degrees
// of freedom, so that turns in space count as turns. A delay and the bias of an encoder
// are the problem's own: the state holds the controls that were sent and are still to come, and
// each model reads positions by its own bias. Worlds and models move on lanes where those cover the
// model and all its latents, else by MuJoCo.
#pragma once

#include <array>
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
  static constexpr std::array kAgentOptions{"tolerance", "estimate", "start"};
  std::shared_ptr<const RobotFile> file;
  std::int64_t horizon = 200;
  std::vector<std::optional<double>> fixed;  // [latent]: the world's own, if a person fixed it
  std::string simulator = "lanes";
  double tolerance = 1e-3;
  std::string estimate = "latents";
  std::string start = "reset";

  OwnRobotOptions() = default;
  explicit OwnRobotOptions(std::shared_ptr<const RobotFile> robot);
  void visit(OptionVisitor& v);
  TrainingDefaults training_defaults() const;
};

class OwnRobot {
 public:
  struct Latent {
    std::vector<double> values;
    Patch patch;
    LaneSim::Numbers numbers;  // none where lanes do not cover the model
    int delay = 0;             // in time steps
    std::vector<double> bias;  // [qpos]; empty without biases
    bool nominal = false;      // the prior's middle, which stays as it is
  };
  struct State {
    std::vector<double> x;       // qpos, qvel, act
    std::vector<float> sent;     // controls of the steps before, the latest first
    std::vector<double> places;  // where what has a speed was before
    std::vector<double> sensors;
  };
  /// What the policy sees; before it, where the filter is told the state, a reading().
  using Observation = std::vector<double>;
  using Action = std::span<const float>;

  explicit OwnRobot(const OwnRobotOptions& options);

  ProblemSpec spec() const;
  ProblemView view() const;

  Latent sample_latent(Rng& rng) const;
  Latent nominal_latent() const;
  /// The model as it was compiled, for predictions: no values of latents may stand for it.
  Latent compiled_latent() const;
  Latent latent_of(std::span<const double> values) const {
    return latent({values.begin(), values.end()});
  }
  State sample_state(const Latent& phi, Rng& rng) const;
  StepResult step(State& s, const Latent& phi, Action a, Rng&) const;
  void step_together(std::span<Move<OwnRobot>> moves) const;
  Observation observe(const State& s, const Latent& phi, Rng& rng) const;
  /// The state as it is read, and the controls sent before.
  Observation reading(const State& s, const Latent& phi) const;
  /// Redraws latents that change, each at its rate.
  void change(Latent& phi, Rng& rng) const;
  void encode(const Observation& o, std::span<float> out) const;
  std::vector<InputTerm> input_terms() const;
  void encode_latent(const Latent& phi, std::span<float> out) const;
  std::vector<Solid> scene(const State& s, const Latent& phi) const;

  // Plain numbers, for agents.
  int observation_size() const;
  void to_numbers(const Observation& o, std::span<double> out) const;
  void from_numbers(std::span<const double> in, Observation& o) const {
    o.assign(in.begin(), in.end());
  }

  // The grid of models.
  int factors() const { return static_cast<int>(file_->latents.size()); }
  int cells() const { return static_cast<int>(cells_->size()); }
  const std::vector<double>& cell_factors(int cell) const { return (*cells_)[cell].values; }
  double tolerance() const { return tolerance_; }
  bool estimates_state() const { return estimates_state_; }
  bool starts_anywhere() const { return starts_anywhere_; }
  int together() const { return lanes_ ? LaneSim::kPackSize : 1; }
  /// `alike`, if it is asked for: whether the cell's twins explain the step as well as it does, to
  /// the bit.
  void log_likelihoods(std::span<const ModelQuery<OwnRobot>> queries, std::span<double> out,
                       std::span<bool> alike = {}) const;
  /// The cells that differ from a cell in friction alone, itself among them.
  std::span<const int> twins(int cell) const { return (*twins_)[static_cast<std::size_t>(cell)]; }
  /// The filter looks at every so many steps, and each counts for all of them.
  int every() const { return file_->every; }

  /// The latent of these values; values without a valid model are bad_input.
  Latent latent(std::vector<double> values) const;
  /// The same, in place.
  void make_latent(std::span<const double> values, Latent& out) const;
  /// By how much a step of the model phi misses `next`, by degree of freedom: positions,
  /// velocities, activations. False if the simulation breaks down.
  bool residual(const Latent& phi, const Observation& o, Action a, const Observation& next,
                std::span<double> out) const;
  int residual_size() const;
  /// 1 / sigma^2 of a residual's number.
  double precision(std::size_t i) const { return precision_[i]; }
  /// Told the state, whatever ends an episode is passed over, for a trained policy will avoid it.
  /// An estimate would get lost there.
  bool ends_calibration(const StepResult& result) const {
    return result.done && !file_->sees_state;
  }
  bool on_lanes() const { return lanes_ != nullptr; }

  // What a RobotFilter asks of models.
  const Latent& cell(int i) const { return (*cells_)[static_cast<std::size_t>(i)]; }
  double log_density(std::span<const double> residual) const;
  /// Where an episode begins, but for the noise.
  void start(const Latent& phi, std::span<double> x) const;
  void controls(Action a, std::span<float> out) const;
  struct Prediction {
    const Latent* phi = nullptr;
    std::span<double> x;  // from here, to there
    bool good = true;
  };
  /// A control step of each: `sent` are the controls of this step and of those before.
  void predict(std::span<Prediction> all, std::span<const float> sent) const;
  /// What would be seen without noise.
  void see(const Latent& phi, std::span<const double> x, std::span<const float> sent,
           std::span<double> out) const;
  /// Moves a state by its degrees of freedom, and says how far two are apart.
  void displace(std::span<double> x, std::span<const double> way) const;
  void subtract(std::span<const double> from, std::span<const double> to,
                std::span<double> out) const;
  /// Takes a reading's bias away.
  void unbias(const Latent& phi, std::span<double> x) const;
  const RobotFile& file() const { return *file_; }

 private:
  bool advance(const Latent& phi, std::span<double> x, std::span<const float> now,
               std::span<const float> sent) const;
  void refresh(State& s, const Latent& phi, std::span<const float> now) const;
  StepResult finish(State& s, const Latent& phi, Action a, std::span<const float> now) const;
  void check_corners() const;
  void make_cells();

  /// What computing likelihoods needs again and again.
  struct Scratch {
    std::vector<double> x, to, missed;
    std::vector<float> sent;
  };

  std::shared_ptr<const RobotFile> file_;
  int horizon_;
  std::vector<std::optional<double>> fixed_;
  bool world_on_lanes_;
  double tolerance_;
  bool estimates_state_, starts_anywhere_;
  mutable Sim sim_;
  mutable Scratch scratch_;
  std::shared_ptr<const LaneSim> lanes_;  // null where it does not cover the robot
  std::shared_ptr<const std::vector<Latent>> cells_;
  std::shared_ptr<const std::vector<std::vector<int>>> twins_;  // [cell]
  Depth depth_ = Depth::kState;
  std::vector<Measure> speeds_;
  std::vector<double> precision_;  // [residual]: 1 / sigma^2
};

/// The same robot where latents may change.
class MovingRobot : public OwnRobot {
 public:
  using OwnRobot::OwnRobot;
  StepResult step(State& s, Latent& phi, Action a, Rng& rng) const {
    change(phi, rng);
    return OwnRobot::step(s, phi, a, rng);
  }
  void step_together() = delete;  // a step is random
};

/// Either with a belief that is not told cell by cell.
template <class Robot>
class WithoutCells : public Robot {
 public:
  using Robot::Robot;
  void cells() = delete;
};

/// With the filter that its file asks for.
std::unique_ptr<AnyProblem> robot_problem(const OwnRobotOptions& options);

/// The file with the spreads of one-step predictions, so scaled that intervals of the belief cover
/// the truth as often as they say, on episodes of random actions.
std::shared_ptr<const RobotFile> calibrated(std::shared_ptr<const RobotFile> file);

}  // namespace bpo
