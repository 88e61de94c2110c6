// The belief over a robot's latents where the bounded grid (filters/model_grid.h) does not do: the
// filter sees only what the policy sees, the belief is of particles, or latents change. There are
// models j with probabilities p_j, cells of a grid or particles, and a step is
//   p_j <- transition,   x_j <- f(x_j, a, phi_j),   p_j <- p_j p(o' | x_j),   x_j <- x_j + k e_j.
// Told the state, x_j is that state and p(o' | x_j) the density of what the model misses. Otherwise
// each model keeps its own estimate x_j in a bank of Kalman filters (filters/shared_kalman.h), with
// the noise of sensors in r and what a model misses per step in Q, so that noise counts once. Delay
// and bias are each model's own. A latent that changes at rate r is redrawn from its prior: on a
// grid p <- (1 - r) p + r (mean over its cells), and estimates mix by the same shares (Blom and
// Bar-Shalom 1988); of the particles a share is redrawn with weights that make up for it.
//
// Bounds. Where nothing changes, a cell is dropped when p_j < tolerance / cells, so that all ever
// dropped had at most the tolerance together; and as p_j is a martingale under the belief itself,
// that is also what they would be expected to have at any later time. Particles take a sharp
// likelihood in by powers that leave half of them effective, are drawn again and move
// (filters/weighted_samples.h); each part simulates the step anew.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bpo/core/belief_tracker.h"
#include "bpo/filters/shared_kalman.h"
#include "bpo/filters/weighted_samples.h"
#include "bpo/problems/mujoco/own_robot.h"

namespace bpo {

class RobotFilter {
 public:
  /// Stands where other filters have a bound on the models that an update simulates. Here a model
  /// that is left out would lose its estimate, or evidence for good, for no step is kept.
  struct AllModels {
    void operator=(int most);  // bad_input, but for 0
  };
  struct Weights {
    std::vector<double> p;              // [model]; sum 1; 0 where it was dropped
    std::vector<double> x;              // [model][number of the state]: estimates
    std::vector<double> covariance;     // what all estimates share
    std::vector<float> sent;            // controls of this step and of those before
    std::vector<double> u;              // [particle][factor]: latents as the prior's probabilities
    std::vector<OwnRobot::Latent> own;  // [particle]
    std::vector<double> missed;         // by the leader of the last reading, in spreads expected
    std::uint32_t updates = 0;
    std::int64_t simulations = 0;  // since construction
    AllModels most;
  };

  explicit RobotFilter(const OwnRobot& robot) : RobotFilter(robot, nullptr) {}
  /// With one model alone, that has to outlive it: it weighs nothing and estimates the state.
  RobotFilter(const OwnRobot& robot, const OwnRobot::Latent* only);

  int belief_dim() const;
  int estimate_dim() const;
  /// How its belief is told, if by moments.
  std::optional<BeliefMoments> moments() const;
  double belief_scale() const;
  Weights make_weights() const;
  void reset(Weights& w) const;
  void begin(Weights& w, const OwnRobot::Observation& o) const;
  bool update(Weights& w, const OwnRobot::Observation& o, const OwnRobot::Action& a,
              const OwnRobot::Observation& next) const;
  /// The cells' probabilities; or each factor's mean, then their spreads, then the correlations of
  /// pairs (0, 1), (0, 2), ..., then the state's mean where the filter is not told the state.
  void belief(const Weights& w, std::span<float> out) const;
  /// The factors of the most probable cell, or the particles' mean, and if asked for its state.
  void estimate(const Weights& w, std::span<float> out) const;
  double entropy(const Weights& w) const;
  /// The probability of a factor's values below x, as Prior::rank.
  double rank(const Weights& w, int factor, double x, double share) const;

 private:
  using Latent = OwnRobot::Latent;

  const Latent& model(const Weights& w, std::size_t j) const {
    return only_ ? *only_ : particles_ ? w.own[j] : robot_.cell(static_cast<int>(j));
  }
  std::span<double> state(std::vector<double>& x, std::size_t j) const {
    return std::span(x).subspan(j * size_, size_);
  }
  std::span<const double> state(const std::vector<double>& x, std::size_t j) const {
    return std::span(x).subspan(j * size_, size_);
  }
  static std::size_t leader(const Weights& w);
  void place(Weights& w, const OwnRobot::Observation& o) const;

  // robot_filter_belief.cpp
  struct Part {
    double mean = 0.0, variance = 0.0;
  };
  void choose_shown();
  Part part(const Weights& w, std::size_t j, std::size_t f) const;
  void tell_moments(const Weights& w, std::span<float> out) const;
  void estimate_state(const Weights& w, std::span<double> x) const;

  // robot_filter_motion.cpp
  bool take_in(Weights& w, const OwnRobot::Observation* o, const OwnRobot::Observation& next,
               Rng& rng) const;
  void predict(Weights& w, const OwnRobot::Observation* o) const;
  void learn_motion(Weights& w, std::size_t alive, std::size_t best) const;
  void weigh(Weights& w, const OwnRobot::Observation& next) const;
  void compare(Weights& w, const OwnRobot::Observation& next) const;
  void learn_sight(Weights& w) const;
  double step_size(const Weights& w, std::size_t k) const;

  // robot_filter_models.cpp
  void drop(Weights& w) const;
  void resample(Weights& w, Rng& rng) const;
  void make_particle(Weights& w, std::size_t j) const;
  void change_cells(Weights& w) const;
  void mix_line(Weights& w, std::size_t first, std::size_t stride, std::size_t bins,
                double rate) const;
  void change_particles(Weights& w, Rng& rng) const;

  /// What one step needs; a world has a filter of its own.
  struct Scratch {
    explicit Scratch(std::size_t dofs, std::size_t factors) : kalman(dofs), kernel(factors) {}
    SharedKalman kalman;
    SmoothingKernel kernel;
    std::vector<double> before, covariance, way, l, seen, rows, beside, unit, apart, to, u, values;
    std::vector<OwnRobot::Prediction> jobs;
    std::vector<int> from;
  };

  const OwnRobot& robot_;
  const Latent* only_;
  const bool particles_, sees_state_, changes_;
  const std::size_t models_, size_, dofs_, seen_, factors_;
  std::vector<double> noise_;             // [degree of freedom]: Q
  std::vector<double> variance_;          // [seen]: r; negative where there is nothing to learn
  std::vector<std::vector<Part>> parts_;  // [factor][bin]: of the prior, on a grid
  std::vector<std::size_t> shown_;        // numbers of the state whose estimates are told
  std::vector<double> prior_u_;
  std::vector<Latent> prior_;  // particles of the prior
  mutable Scratch scratch_;
};

}  // namespace bpo
