// What a problem is: a scalar, const description of a world with an unknown latent phi (Sec. 2).
// A problem offers the Problem concept and, as far as it can, the abilities below; each ability is
// what one kind of filter or planner asks for.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bpo/core/rng.h"

namespace bpo {

/// Either so many discrete actions, or a box of so many numbers within limits.
struct ActionSpace {
  int count = 0, dim = 0;
  double low = -1.0, high = 1.0;

  bool discrete() const { return count > 0; }
  int size() const { return discrete() ? count : dim; }
};

/// How a belief on a grid is laid out: a posterior per factor one after the other, or one over all
/// combinations of factors, the last factor changing fastest.
struct BeliefGrid {
  std::vector<std::vector<double>> axes;  // [factor]: the values of its cells
  bool joint = false;
};

/// How a belief is told by moments: each factor's mean, then their spreads, then the correlations
/// of pairs (0, 1), (0, 2), ..., then the estimates of some numbers of the state.
struct BeliefMoments {
  struct Prior {
    double mean = 0.0, sd = 1.0;
  };
  std::vector<Prior> prior;        // [factor]
  std::vector<std::string> state;  // names of those numbers of the state

  int factors() const { return static_cast<int>(prior.size()); }
  int size() const {
    return 2 * factors() + factors() * (factors() - 1) / 2 + static_cast<int>(state.size());
  }
};

struct ProblemSpec {
  std::string name;
  int horizon = 0;
  double discount = 1.0;
  ActionSpace actions;
  double clock = 0.0;          // if positive, the observation ends in clock_feature()
  bool state_observed = true;  // false: observation and belief share one encoder
  int obs_dim = 0, belief_dim = 0, estimate_dim = 0, latent_dim = 0;
  double belief_scale = 1.0;       // brings a belief to the size a network likes to see
  int variance_at = -1;            // the belief's entry that is its one variance, if it has one
  int goal_at = -1;                // where an observation tells the point that latents are led to
  bool simulated = false;          // a step runs a simulator, and so does a likelihood
  std::optional<BeliefGrid> grid;  // where the belief is told cell by cell
  std::optional<BeliefMoments> moments;  // where the belief is told by moments
};

/// How near the end is: 1 at the last step, fading over spec.clock steps before it.
inline float clock_feature(const ProblemSpec& spec, int t) {
  return static_cast<float>(std::exp((t + 1 - spec.horizon) / spec.clock));
}

/// Memory, and the problem.* option that makes it large.
struct Footprint {
  double bytes = 0.0;
  std::string option;
};

struct StepResult {
  double reward = 0.0;
  bool done = false;
  bool fault = false;  // the simulation broke down: the state is the last good one, no evidence
};

/// `step` may move phi, as Tiger does when a door opens. `encode` is what the state encoder sees;
/// where the state is not observed (Sec. 4.2), one encoder sees it together with the belief.
template <class P>
concept Problem = requires(const P& p, typename P::State& s, typename P::Latent& phi,
                           const typename P::Action& a, const typename P::Observation& o, Rng& rng,
                           std::span<float> out) {
  { p.spec() } -> std::convertible_to<ProblemSpec>;
  { p.sample_latent(rng) } -> std::same_as<typename P::Latent>;
  { p.sample_state(phi, rng) } -> std::same_as<typename P::State>;
  { p.step(s, phi, a, rng) } -> std::same_as<StepResult>;
  { p.observe(s, phi, rng) } -> std::same_as<typename P::Observation>;
  p.encode(o, out);
  p.encode_latent(phi, out);
};

/// A step of one of a problem's worlds.
template <class P>
struct Move {
  typename P::State* s = nullptr;
  const typename P::Latent* phi = nullptr;
  typename P::Action a{};
  StepResult result{};
  Rng* rng = nullptr;  // the one that observe() is given afterwards; null where nothing is random
  int lane = 0;        // what messages call it
};

/// Worlds that move together at less cost than one by one. What becomes of one does not depend on
/// the others.
template <class P>
concept MovesTogether = requires(const P& p, std::span<Move<P>> moves) {
  p.step_together(moves);
};

/// A latent can be chosen by the numbers that encode_latent() writes. Numbers without a latent are
/// bad_input.
template <class P>
concept TakesLatent = requires(const P& p, std::span<const double> numbers) {
  { p.latent_of(numbers) } -> std::same_as<typename P::Latent>;
};

/// One latent stands for all, the prior's mean or the most probable: nominal TRPO trains there.
template <class P>
concept HasNominalLatent = requires(const P& p) {
  { p.nominal_latent() } -> std::same_as<typename P::Latent>;
};

/// Latents on a grid of `cells` per factor, evidence of finitely many kinds: kind(o, a, o') and its
/// log-likelihood in each cell are all that Eq. (2) needs.
template <class P>
concept HasGridLikelihood = requires(const P& p, const typename P::Action& a,
                                     const typename P::Observation& o, int i) {
  { p.factors() } -> std::same_as<int>;
  { p.cells() } -> std::same_as<int>;
  { p.cell_value(i) } -> std::convertible_to<double>;
  { p.evidence_kinds() } -> std::same_as<int>;
  { p.evidence(o, a, o) } -> std::same_as<int>;
  { p.log_likelihood(i, i, i) } -> std::convertible_to<double>;  // kind, factor, cell
};

/// A prior that is not uniform over the cells.
template <class P>
concept HasGridPrior = requires(const P& p, int i) {
  { p.log_prior(i, i) } -> std::convertible_to<double>;  // factor, cell; up to a constant
};

/// A latent that moves: after evidence of a kind for which `moves` holds, phi' is drawn from
/// transition(phi, .).
template <class P>
concept HasMovingLatent = requires(const P& p, int i) {
  { p.moves(i) } -> std::same_as<bool>;
  { p.transition(i, i, i) } -> std::convertible_to<double>;  // kind, from, to
};

/// How well does the model of a cell explain a transition?
template <class P>
struct ModelQuery {
  int cell = 0;
  const typename P::Observation* o = nullptr;
  typename P::Action a{};
  const typename P::Observation* next = nullptr;
};

/// Latents on a grid of models that predict the next observation. Log-likelihoods are <= 0, up to a
/// constant that all cells share. They are expensive, but up to together() cost hardly more than
/// one.
template <class P>
concept HasModelGrid = requires(const P& p, std::span<const ModelQuery<P>> queries,
                                std::span<double> out, int cell) {
  { p.factors() } -> std::same_as<int>;
  { p.cells() } -> std::same_as<int>;
  { p.cell_factors(cell)[0] } -> std::convertible_to<double>;
  { p.together() } -> std::same_as<int>;
  p.log_likelihoods(queries, out);
};

/// The grid of the problem's latents, if it has one.
template <class P>
std::optional<BeliefGrid> belief_grid(const P& p) {
  BeliefGrid grid;
  if constexpr (HasGridLikelihood<P>) {
    std::vector<double> values;
    for (int i = 0; i < p.cells(); ++i) values.push_back(p.cell_value(i));
    grid.axes.assign(static_cast<std::size_t>(p.factors()), values);
    return grid;
  } else if constexpr (HasModelGrid<P>) {
    grid.joint = true;
    for (int f = 0; f < p.factors(); ++f) {
      std::vector<double>& axis = grid.axes.emplace_back();
      for (int i = 0; i < p.cells(); ++i) {
        const double value = p.cell_factors(i)[f];
        if (axis.empty() || value > axis.back()) axis.push_back(value);
      }
    }
    return grid;
  }
  return std::nullopt;
}

/// One way an information state can go on.
struct Outcome {
  double probability = 0.0, reward = 0.0;
  std::size_t next = 0;
};

/// Whose probabilities are meant: those the agent believes in, or the world's. They differ where
/// the problem fixes the latent and the belief's prior does not know.
enum class Perspective { kBelieved, kTrue };

/// The history compressed to finitely many states per step: the last observation and how often each
/// kind of evidence was seen. Exact dynamic programming runs on it.
template <class P>
concept HasInformationState = HasGridLikelihood<P> &&
    requires(const P& p, int t, std::size_t i, std::span<int> counts, std::span<Outcome> out) {
  { p.latent_is_fixed() } -> std::same_as<bool>;
  { p.info_start() } -> std::same_as<std::size_t>;
  { p.info_size(t) } -> std::same_as<std::size_t>;
  { p.info_observation(t, i) } -> std::same_as<typename P::Observation>;
  p.info_counts(t, i, counts);
  { p.info_outcomes(t, i, t, Perspective::kTrue, out) } -> std::same_as<int>;
};

inline constexpr int kMaxOutcomes = 4;

}  // namespace bpo
