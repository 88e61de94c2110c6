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

#include "bpo/core/belief_tracker.h"
#include "bpo/core/error.h"
#include "bpo/core/problem.h"
#include "bpo/core/rng.h"
#include "bpo/core/scene.h"

namespace bpo {

enum class LatentSource { kPrior, kNominal };

class World {
 public:
  explicit World(ProblemSpec spec) : spec_(std::move(spec)), inputs_(spec_) {}
  virtual ~World() = default;

  virtual void reset(const Episodes& episodes, LatentSource source) = 0;
  /// Advances the lanes that are not done.
  virtual void step(const Actions& actions) = 0;

  /// Likelihoods that the filter has simulated since construction.
  virtual std::int64_t simulated_likelihoods() const { return 0; }

  /// The entropy of a lane's belief, in nats.
  virtual double belief_entropy(int lane) const = 0;

  /// What the lane looks like; nothing unless the problem is Drawable.
  virtual std::vector<Solid> scene(int) const { return {}; }

  const ProblemSpec& spec() const { return spec_; }
  const PolicyInputs& inputs() const { return inputs_; }
  const Episodes& episodes() const { return inputs_.episodes; }
  int time() const { return inputs_.time; }
  const Tile& obs() const { return inputs_.obs; }
  const Tile& belief() const { return inputs_.belief; }
  const Tile& estimate() const { return inputs_.estimate; }
  const Tile& latent() const { return inputs_.latent; }
  double reward(int lane) const { return reward_[lane]; }
  bool done(int lane) const { return inputs_.done[lane]; }
  bool all_done() const {
    const auto& done = inputs_.done;
    return std::all_of(done.begin(), done.begin() + episodes().count, std::identity{});
  }
  /// Updates in which every cell's likelihood vanished, since construction.
  std::int64_t filter_fallbacks() const { return filter_fallbacks_; }
  /// Steps in which the simulation broke down, since construction; each ended its episode.
  std::int64_t faults() const { return faults_; }
  /// Whether the lane's last step was one.
  bool fault(int lane) const { return fault_[lane]; }

 protected:
  ProblemSpec spec_;
  PolicyInputs inputs_;
  std::array<double, kLanes> reward_{};
  std::array<bool, kLanes> fault_{};
  std::int64_t filter_fallbacks_ = 0, faults_ = 0;
};

/// Has its own copy of the problem: what that keeps mutable, such as a simulator's buffers, is then
/// used by one thread only.
template <Problem P, FilterFor<P> F>
class BeliefMdp final : public World {
 public:
  BeliefMdp(const P& problem, const ProblemSpec& complete_spec)
      : World(complete_spec), problem_(problem), filter_(problem_), tracker_(problem_, filter_) {}

  void reset(const Episodes& episodes, LatentSource source) override {
    inputs_.episodes = episodes;
    inputs_.time = 0;
    tracker_.make_room(episodes.count);
    for (int lane = 0; lane < episodes.count; ++lane) {
      Rng latent_rng(episodes.seed, Use::kLatent, episodes.first + lane);
      Rng state_rng(episodes.seed, Use::kState, episodes.first + lane);
      phi_[lane] = draw(source, latent_rng);
      state_[lane] = problem_.sample_state(phi_[lane], state_rng);
      tracker_.begin(lane, problem_.observe(state_[lane], phi_[lane], state_rng));
      reward_[lane] = 0.0;
      inputs_.done[lane] = fault_[lane] = false;
      write(lane, 0);
    }
  }

  void step(const Actions& actions) override {
    const int t = inputs_.time;
    const std::array<bool, kLanes> over = inputs_.done;
    if constexpr (MovesTogether<P>) move_together(actions);
    for (int lane = 0; lane < episodes().count; ++lane) {
      if (over[lane]) continue;
      Rng rng(episodes().seed, Use::kWorld, episodes().first + lane, static_cast<std::uint32_t>(t));
      const auto a = action(actions, lane);
      const StepResult result = move(lane, a, rng);
      const auto next = problem_.observe(state_[lane], phi_[lane], rng);
      fault_[lane] = result.fault;
      if (result.fault) {
        ++faults_;
        tracker_.skip(lane, next);
      } else {
        tracker_.take(lane, a, next);
      }
      reward_[lane] = result.reward;
      inputs_.done[lane] = result.done || result.fault || t + 1 >= spec_.horizon;
    }
    filter_fallbacks_ += tracker_.settle();
    for (int lane = 0; lane < episodes().count; ++lane) {
      if (!over[lane]) write(lane, t + 1);
    }
    ++inputs_.time;
  }

  std::int64_t simulated_likelihoods() const override { return tracker_.simulated_likelihoods(); }
  double belief_entropy(int lane) const override { return tracker_.entropy(lane); }
  std::vector<Solid> scene(int lane) const override {
    if constexpr (Drawable<P>) return problem_.scene(state_[lane], phi_[lane]);
    return {};
  }

 private:
  StepResult move(int lane, const typename P::Action& a, Rng& rng) {
    if constexpr (MovesTogether<P>) return moved_[lane];
    return problem_.step(state_[lane], phi_[lane], a, rng);
  }
  void move_together(const Actions& actions) {
    std::array<Move<P>, kLanes> moves;
    std::size_t count = 0;
    for (int lane = 0; lane < episodes().count; ++lane) {
      if (!done(lane)) moves[count++] = {&state_[lane], &phi_[lane], action(actions, lane)};
    }
    problem_.step_together(std::span(moves).first(count));
    count = 0;
    for (int lane = 0; lane < episodes().count; ++lane) {
      if (!done(lane)) moved_[lane] = moves[count++].result;
    }
  }

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
    tracker_.write(lane, t, spec_, inputs_);
    problem_.encode_latent(phi_[lane], inputs_.latent[lane]);
  }

  const P problem_;
  const F filter_;
  BeliefTracker<P, F> tracker_;
  std::array<typename P::Latent, kLanes> phi_{};
  std::array<typename P::State, kLanes> state_{};
  std::array<StepResult, kLanes> moved_{};  // where all lanes move together
};

}  // namespace bpo
