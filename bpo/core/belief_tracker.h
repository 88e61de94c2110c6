// A filter and what it keeps of the lanes of a tile: the belief after the history so far, and how
// it becomes what a policy sees. A world tells it what its simulation does, an agent what it is
// told.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bpo/core/policy_inputs.h"
#include "bpo/core/problem.h"

namespace bpo {

/// A filter of a problem writes the belief after the history so far. Stateless: a tracker keeps its
/// weights.
template <class F, class P>
concept FilterFor = std::constructible_from<F, const P&> &&
    requires(const F& f, typename F::Weights& w, const typename P::Observation& o,
             const typename P::Action& a, std::span<float> out) {
  { f.belief_dim() } -> std::same_as<int>;
  { f.estimate_dim() } -> std::same_as<int>;
  { f.belief_scale() } -> std::same_as<double>;
  { f.make_weights() } -> std::same_as<typename F::Weights>;
  f.reset(w);
  { f.update(w, o, a, o) } -> std::same_as<bool>;  // false: every likelihood vanished
  f.belief(w, out);
  f.estimate(w, out);
  { f.entropy(w) } -> std::same_as<double>;
};

/// A step that a filter takes in: after `o`, `a` led to `next`.
template <class P, class F>
struct Evidence {
  typename F::Weights* w = nullptr;
  const typename P::Observation* o = nullptr;
  typename P::Action a{};
  const typename P::Observation* next = nullptr;
  bool alive = true;  // what update() returns
  int lane = 0;       // what messages call it
};

/// A filter that takes in the steps of several lanes at less cost than one by one. What becomes of
/// one does not depend on the others.
template <class F, class P>
concept UpdatesTogether = requires(const F& f, std::span<Evidence<P, F>> evidence) {
  f.update_together(evidence);
};

/// A filter for worlds whose belief nobody asks for.
struct NoFilter {
  struct Weights {};
  template <class P>
  explicit NoFilter(const P&) {}
  int belief_dim() const { return 0; }
  int estimate_dim() const { return 0; }
  double belief_scale() const { return 1.0; }
  Weights make_weights() const { return {}; }
  void reset(Weights&) const {}
  template <class Observation, class Action>
  bool update(Weights&, const Observation&, const Action&, const Observation&) const {
    return true;
  }
  void belief(const Weights&, std::span<float>) const {}
  void estimate(const Weights&, std::span<float>) const {}
  double entropy(const Weights&) const { return 0.0; }
};

/// The problem's spec with what its filter adds.
template <class P, class F>
ProblemSpec complete_spec(const P& problem, const F& filter) {
  ProblemSpec spec = problem.spec();
  spec.belief_dim = filter.belief_dim();
  spec.estimate_dim = filter.estimate_dim();
  spec.belief_scale = filter.belief_scale();
  if constexpr (requires { F::Summary::kVarianceAt; }) spec.variance_at = F::Summary::kVarianceAt;
  spec.obs_dim += spec.clock > 0.0;
  if constexpr (requires { filter.moments(); }) spec.moments = filter.moments();
  if (!spec.grid && !spec.moments) spec.grid = belief_grid(problem);
  return spec;
}

/// The beliefs of a tile's lanes; refers to the problem and the filter.
template <Problem P, FilterFor<P> F>
class BeliefTracker {
 public:
  BeliefTracker(const P& problem, const F& filter) : problem_(problem), filter_(filter) {}

  /// A tile of few episodes does not pay for the beliefs of many.
  void make_room(int lanes) {
    while (static_cast<int>(weights_.size()) < lanes) weights_.push_back(filter_.make_weights());
  }

  /// The lane's belief becomes the prior.
  void reset(int lane) { filter_.reset(weights_[lane]); }
  /// An episode begins with this observation, which a filter may already learn from.
  void begin(int lane, const typename P::Observation& o) {
    if constexpr (requires { filter_.begin(weights_[lane], o); }) {
      filter_.begin(weights_[lane], o);
    } else {
      reset(lane);
    }
    o_[lane] = o;
  }
  /// Takes a step in; false if every likelihood vanished.
  bool update(int lane, const typename P::Action& a, const typename P::Observation& next) {
    const bool alive = filter_.update(weights_[lane], o_[lane], a, next);
    o_[lane] = next;
    return alive;
  }
  /// The same for many lanes: each takes a step in, and settle() ends their updates. It returns in
  /// how many of them every likelihood vanished. Messages call the lane by its `number`.
  void take(int lane, const typename P::Action& a, const typename P::Observation& next,
            int number) {
    if constexpr (UpdatesTogether<F, P>) {
      next_[lane] = next;
      evidence_[taken_++] = {&weights_[lane], &o_[lane], a, &next_[lane], true, number};
    } else {
      vanished_ += !update(lane, a, next);
    }
  }
  int settle() {
    if constexpr (UpdatesTogether<F, P>) {
      const auto evidence = std::span(evidence_).first(std::exchange(taken_, 0));
      filter_.update_together(evidence);
      for (const auto& e : evidence) {
        o_[e.o - o_.data()] = *e.next;
        vanished_ += !e.alive;
      }
    }
    return std::exchange(vanished_, 0);
  }
  /// Takes the observation without the evidence in it.
  void skip(int lane, const typename P::Observation& next) { o_[lane] = next; }

  /// What the policy sees of the lane after t steps.
  void write(int lane, int t, const ProblemSpec& spec, PolicyInputs& to) const {
    problem_.encode(o_[lane], to.obs[lane]);
    if (spec.clock > 0.0) to.obs[lane].back() = clock_feature(spec, t);
    write_belief(lane, to);
  }
  void write_belief(int lane, PolicyInputs& to) const {
    filter_.belief(weights_[lane], to.belief[lane]);
    filter_.estimate(weights_[lane], to.estimate[lane]);
  }

  const typename P::Observation& observation(int lane) const { return o_[lane]; }
  double entropy(int lane) const { return filter_.entropy(weights_[lane]); }
  /// How many models an update may simulate for likelihoods; 0: all that matter.
  void limit_models(int most) {
    if constexpr (requires { weights_[0].most; }) {
      for (auto& w : weights_) w.most = most;
    }
  }
  /// How many models were simulated for likelihoods since construction.
  std::int64_t simulated_likelihoods() const {
    std::int64_t sum = 0;
    if constexpr (requires { weights_[0].simulations; }) {
      for (const auto& w : weights_) sum += w.simulations;
    }
    return sum;
  }

 private:
  const P& problem_;
  const F& filter_;
  std::array<typename P::Observation, kLanes> o_{};
  std::vector<typename F::Weights> weights_;
  // What was taken in and is not settled yet.
  std::array<typename P::Observation, kLanes> next_{};
  std::array<Evidence<P, F>, kLanes> evidence_{};
  std::size_t taken_ = 0;
  int vanished_ = 0;
};

}  // namespace bpo
