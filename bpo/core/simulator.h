// One copy of a problem's world to step by hand: plain numbers in and out, randomness passed in,
// states that can be kept and gone back to. It is what a tree search needs, and what a loop of
// one's own is tested against.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "bpo/core/numbers.h"
#include "bpo/core/problem.h"

namespace bpo {

class Simulator {
 public:
  virtual ~Simulator() = default;
  /// How many numbers an observation and an action are.
  virtual int observation_size() const = 0;
  virtual int action_size() const = 0;

  /// Draws a latent from the prior and a first state.
  virtual void reset(Rng& latent, Rng& state) = 0;
  /// The episode's horizon is the caller's to count.
  virtual StepResult step(std::span<const double> action, Rng& rng) = 0;
  virtual void observe(Rng& rng, std::span<double> out) const = 0;
  /// The latent as the problem encodes it.
  virtual void latent(std::span<float> out) const = 0;

  /// Keeps the state and the latent under a small number, and goes back to what was kept there.
  virtual void save(std::size_t slot) = 0;
  virtual void restore(std::size_t slot) = 0;
  /// Goes where another simulator of the same kind is, whatever the options of its problem.
  virtual void follow(const Simulator& other) = 0;
};

/// Has its own copy of the problem, as a world has.
template <Problem P>
class ProblemSimulator final : public Simulator {
 public:
  explicit ProblemSimulator(const P& problem)
      : problem_(problem),
        actions_(problem_.spec().actions),
        box_(static_cast<std::size_t>(actions_.dim)) {}

  int observation_size() const override { return bpo::observation_size(problem_); }
  int action_size() const override { return bpo::action_size(actions_); }

  void reset(Rng& latent, Rng& state) override {
    now_.phi = problem_.sample_latent(latent);
    now_.s = problem_.sample_state(now_.phi, state);
  }
  StepResult step(std::span<const double> action, Rng& rng) override {
    return problem_.step(now_.s, now_.phi, read_action<P>(actions_, action, box_), rng);
  }
  void observe(Rng& rng, std::span<double> out) const override {
    write_observation(problem_, problem_.observe(now_.s, now_.phi, rng), out);
  }
  void latent(std::span<float> out) const override { problem_.encode_latent(now_.phi, out); }

  void save(std::size_t slot) override {
    if (slot >= kept_.size()) kept_.resize(slot + 1, now_);
    kept_[slot] = now_;
  }
  void restore(std::size_t slot) override { now_ = kept_.at(slot); }
  void follow(const Simulator& other) override {
    now_ = dynamic_cast<const ProblemSimulator&>(other).now_;
  }

 private:
  struct Moment {
    typename P::State s{};
    typename P::Latent phi{};
  };

  const P problem_;
  const ActionSpace actions_;
  std::vector<float> box_;
  Moment now_;
  std::vector<Moment> kept_;
};

}  // namespace bpo
