// A world is a belief MDP: 64 lanes of a problem and its filter (Sec. 2). Static inside, one
// virtual call per tile and step outside.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "bpo/core/error.h"
#include "bpo/core/problem.h"
#include "bpo/core/rng.h"
#include "bpo/core/tile.h"

namespace bpo {

enum class LatentSource { kPrior, kNominal };

/// Consecutive episodes, one per lane. Equal seeds and numbers give equal latents and noise.
struct Episodes {
  std::uint64_t seed = 0;
  std::uint64_t first = 0;
  int count = 0;
};

class World {
 public:
  explicit World(ProblemSpec spec)
      : spec_(std::move(spec)),
        obs_(spec_.obs_dim),
        belief_(spec_.belief_dim),
        estimate_(spec_.estimate_dim),
        latent_(spec_.latent_dim) {}
  virtual ~World() = default;

  virtual void reset(const Episodes& episodes, LatentSource source) = 0;
  /// Advances the lanes that are not done.
  virtual void step(const Actions& actions) = 0;

  /// Likelihoods that the filter has simulated since construction.
  virtual std::int64_t simulated_likelihoods() const { return 0; }

  /// Of the belief, in nats.
  virtual double belief_entropy(int lane) const = 0;

  /// What the lane looks like; nothing unless the problem is Drawable.
  virtual std::vector<Solid> scene(int) const { return {}; }

  const ProblemSpec& spec() const { return spec_; }
  const Episodes& episodes() const { return episodes_; }
  int time() const { return time_; }
  const Tile& obs() const { return obs_; }
  const Tile& belief() const { return belief_; }
  const Tile& estimate() const { return estimate_; }
  const Tile& latent() const { return latent_; }
  double reward(int lane) const { return reward_[lane]; }
  bool done(int lane) const { return done_[lane]; }
  bool all_done() const {
    return std::all_of(done_.begin(), done_.begin() + episodes_.count, std::identity{});
  }
  /// Updates in which every cell's likelihood vanished, since construction.
  std::int64_t filter_fallbacks() const { return filter_fallbacks_; }
  /// Steps in which the simulation broke down, since construction; each ended its episode.
  std::int64_t faults() const { return faults_; }
  /// Whether the lane's last step was one.
  bool fault(int lane) const { return fault_[lane]; }

 protected:
  ProblemSpec spec_;
  Episodes episodes_;
  int time_ = 0;
  Tile obs_, belief_, estimate_, latent_;
  std::array<double, kLanes> reward_{};
  std::array<bool, kLanes> done_{}, fault_{};
  std::int64_t filter_fallbacks_ = 0, faults_ = 0;
};

/// A filter of a problem writes the belief after the history so far. Stateless: weights live in the
/// world.
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

/// For worlds whose belief nobody asks for.
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

/// Has its own copy of the problem: what that keeps mutable, such as a simulator's buffers, is then
/// used by one thread only.
template <Problem P, FilterFor<P> F>
class BeliefMdp final : public World {
 public:
  BeliefMdp(const P& problem, const ProblemSpec& complete_spec)
      : World(complete_spec), problem_(problem), filter_(problem_) {}

  static ProblemSpec complete(const P& problem, const F& filter) {
    ProblemSpec spec = problem.spec();
    spec.belief_dim = filter.belief_dim();
    spec.estimate_dim = filter.estimate_dim();
    spec.belief_scale = filter.belief_scale();
    spec.obs_dim += spec.clock > 0.0;
    spec.grid = belief_grid(problem);
    return spec;
  }

  void reset(const Episodes& episodes, LatentSource source) override {
    episodes_ = episodes;
    time_ = 0;
    // A tile of few episodes does not pay for the beliefs of many.
    while (static_cast<int>(weights_.size()) < episodes.count) {
      weights_.push_back(filter_.make_weights());
    }
    for (int lane = 0; lane < episodes.count; ++lane) {
      Rng latent_rng(episodes.seed, Use::kLatent, episodes.first + lane);
      Rng state_rng(episodes.seed, Use::kState, episodes.first + lane);
      phi_[lane] = draw(source, latent_rng);
      state_[lane] = problem_.sample_state(phi_[lane], state_rng);
      o_[lane] = problem_.observe(state_[lane], phi_[lane], state_rng);
      filter_.reset(weights_[lane]);
      reward_[lane] = 0.0;
      done_[lane] = fault_[lane] = false;
      write(lane, 0);
    }
  }

  void step(const Actions& actions) override {
    for (int lane = 0; lane < episodes_.count; ++lane) {
      if (done_[lane]) continue;
      Rng rng(episodes_.seed, Use::kWorld, episodes_.first + lane,
              static_cast<std::uint32_t>(time_));
      const auto a = action(actions, lane);
      const StepResult result = problem_.step(state_[lane], phi_[lane], a, rng);
      const auto next = problem_.observe(state_[lane], phi_[lane], rng);
      fault_[lane] = result.fault;
      if (result.fault) {
        ++faults_;
      } else if (!filter_.update(weights_[lane], o_[lane], a, next)) {
        ++filter_fallbacks_;
      }
      o_[lane] = next;
      reward_[lane] = result.reward;
      done_[lane] = result.done || result.fault || time_ + 1 >= spec_.horizon;
      write(lane, time_ + 1);
    }
    ++time_;
  }

  std::int64_t simulated_likelihoods() const override {
    std::int64_t sum = 0;
    if constexpr (requires { weights_[0].simulations; }) {
      for (const auto& w : weights_) sum += w.simulations;
    }
    return sum;
  }
  double belief_entropy(int lane) const override { return filter_.entropy(weights_[lane]); }
  std::vector<Solid> scene(int lane) const override {
    if constexpr (Drawable<P>) return problem_.scene(state_[lane], phi_[lane]);
    return {};
  }

 private:
  typename P::Latent draw(LatentSource source, Rng& rng) const {
    if (source == LatentSource::kNominal) {
      if constexpr (HasNominalLatent<P>) {
        return problem_.nominal_latent();
      } else {
        throw bad_input("problem '" + spec_.name +
                        "' has no nominal latent: its latent has no mean");
      }
    }
    return problem_.sample_latent(rng);
  }

  static typename P::Action action(const Actions& actions, int lane) {
    if constexpr (std::is_integral_v<typename P::Action>) {
      return actions.index[lane];
    } else {
      return actions.box[lane];
    }
  }

  void write(int lane, int t) {
    problem_.encode(o_[lane], obs_[lane]);
    if (spec_.clock > 0.0) obs_[lane].back() = clock_feature(spec_, t);
    problem_.encode_latent(phi_[lane], latent_[lane]);
    filter_.belief(weights_[lane], belief_[lane]);
    filter_.estimate(weights_[lane], estimate_[lane]);
  }

  const P problem_;
  const F filter_;
  std::array<typename P::Latent, kLanes> phi_{};
  std::array<typename P::State, kLanes> state_{};
  std::array<typename P::Observation, kLanes> o_{};
  std::vector<typename F::Weights> weights_;
};

}  // namespace bpo
