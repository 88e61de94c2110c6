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
#include "bpo/core/numbers.h"
#include "bpo/core/problem.h"
#include "bpo/core/rng.h"
#include "bpo/core/scene.h"

namespace bpo {

enum class LatentSource { kPrior, kNominal };

/// An episode of one lane: equal seeds and numbers give equal latents and noise. Numbers in
/// `latent` are those of a latent that somebody chose; none leave it to the prior.
struct LaneEpisode {
  std::uint64_t seed = 0, episode = 0;
  std::span<const double> latent = {};
};

class World {
 public:
  explicit World(ProblemSpec spec) : spec_(std::move(spec)), inputs_(spec_) {}
  virtual ~World() = default;

  virtual void reset(const Episodes& episodes, LatentSource source) = 0;
  /// Begins another episode in one lane of a world that was reset, whatever the others do. Policies
  /// count the steps of the whole tile (PolicyInputs), so this is for those who act by themselves.
  virtual void begin(int /*lane*/, const LaneEpisode&) {
    throw bad_input("problem '" + spec_.name + "': its lanes begin together");
  }
  /// Advances the lanes that are not done.
  virtual void step(const Actions& actions) = 0;

  /// Likelihoods that the filter has simulated since construction.
  virtual std::int64_t simulated_likelihoods() const { return 0; }

  /// The entropy of a lane's belief, in nats.
  virtual double belief_entropy(int lane) const = 0;

  /// The lane's observation in plain numbers, for agents; false where it cannot be told.
  virtual bool observation(int /*lane*/, std::span<double>) const { return false; }

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
  /// Whether the problem ended the lane's episode, rather than its horizon or a fault.
  bool terminal(int lane) const { return terminal_[lane]; }
  /// Updates in which every cell's likelihood vanished, since construction.
  std::int64_t filter_fallbacks() const { return filter_fallbacks_; }
  /// Steps in which the simulation broke down, since construction; each ended its episode.
  std::int64_t faults() const { return faults_; }
  /// Whether the simulation broke down in the lane's last step.
  bool fault(int lane) const { return fault_[lane]; }

 protected:
  ProblemSpec spec_;
  PolicyInputs inputs_;
  std::array<double, kLanes> reward_{};
  std::array<bool, kLanes> fault_{}, terminal_{};
  std::int64_t filter_fallbacks_ = 0, faults_ = 0;
};

/// A world has its own copy of the problem: what that keeps mutable, such as buffers, is then
/// used by one thread only.
template <Problem P, FilterFor<P> F>
class BeliefMdp final : public World {
 public:
  BeliefMdp(const P& problem, const ProblemSpec& complete_spec)
      : World(complete_spec), problem_(problem), filter_(problem_), tracker_(problem_, filter_) {
    if constexpr (MovesTogether<P>) rng_.assign(kLanes, Rng(0, Use::kWorld, 0));
  }

  void reset(const Episodes& episodes, LatentSource source) override {
    inputs_.episodes = episodes;
    inputs_.time = 0;
    tracker_.make_room(episodes.count);
    for (int lane = 0; lane < episodes.count; ++lane) {
      begin(lane, {episodes.seed, episodes.first + lane}, source);
    }
  }
  void begin(int lane, const LaneEpisode& episode) override {
    begin(lane, episode, LatentSource::kPrior);
  }

  void step(const Actions& actions) override {
    const std::array<bool, kLanes> over = inputs_.done;
    if constexpr (MovesTogether<P>) move_together(actions);
    for (int lane = 0; lane < episodes().count; ++lane) {
      if (over[lane]) continue;
      const auto a = action(actions, lane);
      Rng fresh = stream(lane);
      Rng& rng = MovesTogether<P> ? rng_[lane] : fresh;
      const StepResult result = move(lane, a, rng);
      const auto next = problem_.observe(state_[lane], phi_[lane], rng);
      fault_[lane] = result.fault;
      if (result.fault) {
        ++faults_;
        tracker_.skip(lane, next);
      } else {
        tracker_.take(lane, a, next, number(lane));
      }
      reward_[lane] = result.reward;
      terminal_[lane] = result.done && !result.fault;
      ++time_[lane];
      inputs_.done[lane] = result.done || result.fault || time_[lane] >= spec_.horizon;
    }
    filter_fallbacks_ += tracker_.settle();
    for (int lane = 0; lane < episodes().count; ++lane) {
      if (!over[lane]) write(lane);
    }
    ++inputs_.time;
  }

  std::int64_t simulated_likelihoods() const override { return tracker_.simulated_likelihoods(); }
  double belief_entropy(int lane) const override { return tracker_.entropy(lane); }
  bool observation(int lane, std::span<double> out) const override {
    if constexpr (kSpeaksNumbers<P>) write_observation(problem_, tracker_.observation(lane), out);
    return kSpeaksNumbers<P>;
  }
  std::vector<Solid> scene(int lane) const override {
    if constexpr (Drawable<P>) return problem_.scene(state_[lane], phi_[lane]);
    return {};
  }

 private:
  void begin(int lane, const LaneEpisode& episode, LatentSource source) {
    Rng latent_rng(episode.seed, Use::kLatent, episode.episode);
    Rng state_rng(episode.seed, Use::kState, episode.episode);
    phi_[lane] = episode.latent.empty() ? draw(source, latent_rng) : chosen(episode.latent);
    if constexpr (requires { problem_.sample_state(phi_[lane], state_rng, lane); }) {
      state_[lane] = problem_.sample_state(phi_[lane], state_rng, number(lane));
    } else {
      state_[lane] = problem_.sample_state(phi_[lane], state_rng);
    }
    tracker_.begin(lane, problem_.observe(state_[lane], phi_[lane], state_rng));
    seed_[lane] = episode.seed;
    episode_[lane] = episode.episode;
    time_[lane] = 0;
    reward_[lane] = 0.0;
    inputs_.done[lane] = fault_[lane] = terminal_[lane] = false;
    write(lane);
  }
  /// The lane's number among those of all tiles, for messages: the low half of its episode's.
  int number(int lane) const { return static_cast<int>(episodes().first) + lane; }
  /// The random numbers of the lane's next step.
  Rng stream(int lane) const {
    return {seed_[lane], Use::kWorld, episode_[lane], static_cast<std::uint32_t>(time_[lane])};
  }
  typename P::Latent chosen(std::span<const double> numbers) const {
    if constexpr (TakesLatent<P>) {
      check_count("latent", numbers.size(), spec_.latent_dim);
      check_finite("latent", numbers);
      return problem_.latent_of(numbers);
    } else {
      throw bad_input("problem '" + spec_.name + "': its latent cannot be chosen");
    }
  }

  StepResult move(int lane, const typename P::Action& a, Rng& rng) {
    if constexpr (MovesTogether<P>) return moved_[lane];
    return problem_.step(state_[lane], phi_[lane], a, rng);
  }
  void move_together(const Actions& actions) {
    std::array<Move<P>, kLanes> moves;
    std::size_t count = 0;
    for (int lane = 0; lane < episodes().count; ++lane) {
      if (done(lane)) continue;
      rng_[lane] = stream(lane);
      moves[count++] = {&state_[lane], &phi_[lane], action(actions, lane), {},
                        &rng_[lane],   number(lane)};
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

  void write(int lane) {
    tracker_.write(lane, time_[lane], spec_, inputs_);
    problem_.encode_latent(phi_[lane], inputs_.latent[lane]);
  }

  const P problem_;
  const F filter_;
  BeliefTracker<P, F> tracker_;
  std::array<typename P::Latent, kLanes> phi_{};
  std::array<typename P::State, kLanes> state_{};
  std::array<std::uint64_t, kLanes> seed_{}, episode_{};
  std::array<int, kLanes> time_{};  // steps since the lane's episode began
  // Where all lanes move together.
  std::array<StepResult, kLanes> moved_{};
  std::vector<Rng> rng_;
};

}  // namespace bpo
