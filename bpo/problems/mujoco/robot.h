// What the three robots of Sec. 5 share. The latent is two factors that scale some links; a step is
// five frames under one control; the reward is speed along x minus a price on the controls. The
// belief is over a grid of models: p(o' | o, a, phi) = N(o'; f(o, a, phi), sigma^2 I), f being one
// step of the model phi from the whole state (qpos, qvel). DEVIATION: f integrates by Euler's
// method even where the robot itself moves by Runge-Kutta's (Ant): docs/notebook/belief.md.
// Controls are clamped to [-1, 1]; the price is on the action as it was chosen. What the lane
// simulator covers moves by it, four worlds or models at a time, the rest by MuJoCo.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bpo/core/any_problem.h"
#include "bpo/core/error.h"
#include "bpo/filters/model_grid.h"
#include "bpo/problems/mujoco/lanes/lane_sim.h"
#include "bpo/problems/mujoco/links.h"

namespace bpo {

using Factors = std::array<double, 2>;

struct RobotOptions {
  static constexpr std::array kAgentOptions{"bins", "grid", "sigma", "freeze", "tolerance"};
  double low = 0.8, high = 1.2;
  std::int64_t bins = 5;
  std::string grid = "centres";
  double sigma = 0.5;
  double tolerance = 1e-3;
  std::int64_t horizon = 200;
  std::optional<double> freeze, first, second;
  std::string simulator = "lanes";

  void visit(OptionVisitor& v) {
    v.number("low", low, {-100.0, 100.0}, "smallest factor of the unknown lengths");
    v.number("high", high, {-100.0, 100.0}, "largest factor of the unknown lengths");
    v.integer("bins", bins, {1, 20}, "cells of the belief per factor; it has bins^2 in all");
    v.choice("grid", grid, {"centres", "endpoints"},
             "models at the cells' centres, or the authors' linspace(low,high,bins)");
    v.number("sigma", sigma, {1e-3, 1e3},
             "standard deviation of the filter's noise in every coordinate");
    v.number_or(
        "freeze", freeze, "never", {0.0, 1.0},
        "probability of a cell from which on the belief stays as it is (the authors': 0.7)");
    v.number("tolerance", tolerance, {0.0, 1.0},
             "how far the belief may be from the full posterior, over all cells; 0 simulates every "
             "model in every step");
    v.integer("horizon", horizon, {1, 10000}, "steps per episode");
    v.number_or("first", first, "prior", {-100.0, 100.0},
                "the world's first factor: drawn per episode, or fixed (the belief's prior stays)");
    v.number_or("second", second, "prior", {-100.0, 100.0},
                "the world's second factor: drawn per episode, or fixed");
    v.choice("simulator", simulator, {"lanes", "mujoco"},
             "what moves the world: four robots at a time, or MuJoCo, to which lanes also leaves "
             "what it does not cover");
    if (!(low < high)) {
      throw bad_input(fmt::format("problem.low = {}: must be below problem.high = {}", low, high));
    }
    if (grid == "endpoints" && bins < 2) {
      throw bad_input("problem.bins = 1: grid = endpoints needs at least 2 bins");
    }
  }
};

/// A robot says its name, sizes, reward and mechanism, and draws a first state:
///   kName; kQ, kV, kU (of qpos, qvel, controls); kHidden (leading qpos that a policy does not
///   see); kForward, kPrice (reward = kForward dx/dt - kPrice |a|^2); kCamera, kFactors (for
///   figures); kIterations, kInitHidden, kLambda, kValueLambda, kValueDamping, kValueSubsample (of
///   a training); mechanism(factors); reset(state, rng), from qpos0 and rest.
template <class R>
class Robot {
 public:
  struct Latent {
    Factors factors{};
    Patch patch;
    LaneSim::Numbers numbers;  // none where lanes do not cover the model
  };
  using State = std::array<double, R::kQ + R::kV>;
  using Observation = State;
  using Action = std::span<const float>;

  static constexpr int kFrames = 5;

  explicit Robot(const RobotOptions& options)
      : options_(options),
        sim_(R::kName, to_mjcf(R::mechanism({1.0, 1.0}))),
        lanes_(LaneSim::of(sim_.model())) {
    for (double p : {options.low, options.high}) {
      for (double q : {options.low, options.high}) {
        latent({p, q});
        latent(with_fixed({p, q}));
      }
    }
    const auto bins = static_cast<int>(options.bins);
    for (int i = 0; i < bins; ++i) {
      for (int j = 0; j < bins; ++j) cells_.push_back(latent({cell_value(i), cell_value(j)}));
    }
    check_distinct();
  }

  ProblemSpec spec() const {
    return {.name = R::kName,
            .horizon = static_cast<int>(options_.horizon),
            .discount = 1.0,
            .actions = {.dim = R::kU, .low = -1.0, .high = 1.0},
            .obs_dim = R::kQ + R::kV - R::kHidden,
            .latent_dim = factors(),
            .simulated = true};
  }
  ProblemView view() const {
    return {.observation = sim_.state_names(),
            .actions = sim_.control_names(),
            .latents = {R::kFactors.begin(), R::kFactors.end()},
            .stage = Stage{R::kCamera, kFrames * sim_.model().opt.timestep},
            .units = sim_.state_units(),
            .latent_units = std::vector<std::string>(R::kFactors.size(), "1"),
            .action_unit = "share of the motor's range"};
  }

  Latent sample_latent(Rng& rng) const {
    const auto draw = [&] { return options_.low + (options_.high - options_.low) * rng.uniform(); };
    return latent(with_fixed({draw(), draw()}));
  }
  Latent latent_of(std::span<const double> factors) const {
    return latent({factors[0], factors[1]});
  }
  Latent nominal_latent() const {
    const double middle = 0.5 * (options_.low + options_.high);
    return latent({middle, middle});
  }
  State sample_state(const Latent&, Rng& rng) const {
    State s{};
    std::copy_n(sim_.model().qpos0, R::kQ, s.begin());
    R::reset(s, rng);
    return s;
  }

  std::function<void(Action)> bare_step() const {
    const auto sim = std::make_shared<Sim>(sim_);
    return [sim](Action a) { sim->step_bare(a, kFrames); };
  }

  StepResult step(State& s, const Latent& phi, Action a, Rng&) const {
    Move<Robot> move{&s, &phi, a};
    step_together({&move, 1});
    return move.result;
  }
  void step_together(std::span<Move<Robot>> moves) const {
    assert(moves.size() <= kLanes);
    std::array<LaneSim::Job, kLanes> jobs;
    std::array<double, kLanes> x;
    for (std::size_t k = 0; k < moves.size(); ++k) {
      x[k] = (*moves[k].s)[0];
      jobs[k] = {moves[k].phi->numbers, *moves[k].s, moves[k].a};
    }
    if (lanes_ && options_.simulator == "lanes")
      lanes_->advance({jobs.data(), moves.size()}, kFrames);
    for (std::size_t k = 0; k < moves.size(); ++k) {
      const bool good = jobs[k].covered || advance(*moves[k].phi, *moves[k].s, moves[k].a);
      moves[k].result = good ? StepResult{.reward = reward((*moves[k].s)[0] - x[k], moves[k].a)}
                             : StepResult{.done = true, .fault = true};
    }
  }

  Observation observe(const State& s, const Latent&, Rng&) const { return s; }

  void encode(const Observation& o, std::span<float> out) const {
    std::copy(o.begin() + R::kHidden, o.end(), out.begin());
  }
  std::vector<InputTerm> input_terms() const {
    std::vector<InputTerm> out;
    add_copies(out, R::kHidden, R::kQ + R::kV - R::kHidden);
    return out;
  }
  void encode_latent(const Latent& phi, std::span<float> out) const {
    std::copy(phi.factors.begin(), phi.factors.end(), out.begin());
  }

  std::vector<Solid> scene(const State& s, const Latent& phi) const {
    sim_.apply(phi.patch);
    return sim_.solids(s);
  }

  // The grid of models.
  int factors() const { return 2; }
  int cells() const { return static_cast<int>(cells_.size()); }
  const Factors& cell_factors(int cell) const { return cells_[cell].factors; }
  std::optional<double> freeze() const { return options_.freeze; }
  double tolerance() const { return options_.tolerance; }
  int together() const { return lanes_ ? LaneSim::kPackSize : 1; }
  void log_likelihoods(std::span<const ModelQuery<Robot>> queries, std::span<double> out) const {
    constexpr std::size_t kMost = 8 * LaneSim::kPackSize;
    for (; queries.size() > kMost; queries = queries.subspan(kMost), out = out.subspan(kMost)) {
      log_likelihoods(queries.first(kMost), out.first(kMost));
    }
    std::array<State, kMost> predicted;
    std::array<LaneSim::Job, kMost> jobs;
    for (std::size_t k = 0; k < queries.size(); ++k) {
      predicted[k] = *queries[k].o;
      jobs[k] = {cells_[queries[k].cell].numbers, predicted[k], queries[k].a};
    }
    if (lanes_) lanes_->advance({jobs.data(), queries.size()}, kFrames, kEuler);
    for (std::size_t k = 0; k < queries.size(); ++k) {
      const ModelQuery<Robot>& query = queries[k];
      const bool good =
          jobs[k].covered || advance(cells_[query.cell], predicted[k], query.a, kEuler);
      out[k] = good ? log_likelihood(predicted[k], *queries[k].next)
                    : -std::numeric_limits<double>::infinity();
    }
  }

 private:
  static constexpr bool kEuler = true;

  /// Moves the state by MuJoCo instead of by lanes.
  bool advance(const Latent& phi, State& s, Action a, bool euler = false) const {
    sim_.apply(phi.patch);
    return sim_.advance(s, a, kFrames, euler);
  }
  double reward(double dx, Action a) const {
    double squares = 0.0;
    for (float u : a) squares += double{u} * u;
    return R::kForward * dx / (kFrames * sim_.model().opt.timestep) - R::kPrice * squares;
  }
  double log_likelihood(const State& predicted, const State& seen) const {
    double squares = 0.0;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      squares += (seen[i] - predicted[i]) * (seen[i] - predicted[i]);
    }
    return -squares / (2.0 * options_.sigma * options_.sigma);
  }

  double cell_value(int k) const {
    const auto bins = static_cast<double>(options_.bins);
    const double share = options_.grid == "endpoints" ? k / (bins - 1.0) : (k + 0.5) / bins;
    return options_.low + share * (options_.high - options_.low);
  }
  /// Refuses a range so narrow that doubles cannot tell its cells apart.
  void check_distinct() const {
    for (int k = 1; k < static_cast<int>(options_.bins); ++k) {
      if (cell_value(k - 1) < cell_value(k)) continue;
      throw bad_input(
          fmt::format("problem.low = {} and problem.high = {} are too near for problem.bins = {} "
                      "different factors; move them apart or take fewer bins",
                      options_.low, options_.high, options_.bins));
    }
  }
  /// The factors p, save where the user fixed the world's own.
  Factors with_fixed(const Factors& p) const {
    return {options_.first.value_or(p[0]), options_.second.value_or(p[1])};
  }
  Latent latent(const Factors& p) const {
    try {
      Patch patch = reshape(sim_, R::mechanism(p));
      return {p, std::move(patch), lanes_ ? lanes_->numbers(sim_.model()) : LaneSim::Numbers{}};
    } catch (const Error& e) {
      throw bad_input(fmt::format("at factors ({}, {}): {}", p[0], p[1], e.what()));
    }
  }

  RobotOptions options_;
  mutable Sim sim_;
  std::shared_ptr<const LaneSim> lanes_;  // null where it does not cover the robot
  std::vector<Latent> cells_;
};

/// A reset that disturbs every coordinate: qpos by U(-.1, .1), qvel by .1 N(0, 1).
inline void disturb(std::span<double> state, int nq, Rng& rng) {
  for (double& x : state.first(nq)) x += 0.2 * rng.uniform() - 0.1;
  for (double& v : state.subspan(nq)) v += 0.1 * rng.normal();
}

/// The options of robots, with the training defaults of robot R.
template <class R>
struct OptionsOf : RobotOptions {
  TrainingDefaults training_defaults() const {
    return {{"algo.iterations", R::kIterations},
            {"algo.hidden", 64},
            {"algo.whiten", true},
            {"algo.init_hidden", R::kInitHidden},
            {"algo.init_head", 0.01},
            {"algo.init_std", 0.5},
            {"algo.value_damping", R::kValueDamping},
            {"algo.value_subsample", R::kValueSubsample},
            {"algo.validate_every", R::kIterations / 10},
            {"algo.validate_episodes", 64},
            {"optimizer.batch_steps", 1600},
            {"optimizer.discount", 0.99},
            {"optimizer.lambda", R::kLambda},
            {"optimizer.value_lambda", R::kValueLambda},
            {"optimizer.kl", 0.05},
            {"optimizer.kl_end", 0.01},
            {"optimizer.cg_subsample", 0.3}};
  }
};

template <class R>
ProblemEntry robot_entry(std::string summary) {
  return problem_entry<Robot<R>, OptionsOf<R>, ModelGridFilter<Robot<R>>>(R::kName,
                                                                          std::move(summary));
}

}  // namespace bpo
