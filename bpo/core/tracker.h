// A belief kept outside of any world: it is told in plain numbers what was seen and done, and has
// what a policy needs to see. One episode, lane 0 of its inputs.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "bpo/core/belief_tracker.h"
#include "bpo/core/numbers.h"

namespace bpo {

class Tracker {
 public:
  explicit Tracker(ProblemSpec spec) : spec_(std::move(spec)), inputs_(spec_) {
    inputs_.episodes.count = 1;
  }
  virtual ~Tracker() = default;

  virtual int observation_size() const = 0;
  /// Nothing has been seen yet: the belief is the prior.
  virtual void reset() = 0;
  /// An episode begins with this observation.
  virtual void begin(std::uint64_t seed, std::uint64_t episode, std::span<const double> o) = 0;
  /// A step was made. False if every likelihood vanished and the belief fell back to the prior.
  virtual bool update(std::span<const double> executed, std::span<const double> next) = 0;
  /// The belief's entropy in nats.
  virtual double entropy() const = 0;
  /// How many models an update may simulate, where a likelihood costs a simulation; 0: all that
  /// matter.
  virtual void limit_models(int most) = 0;

  const ProblemSpec& spec() const { return spec_; }
  const PolicyInputs& inputs() const { return inputs_; }

 protected:
  ProblemSpec spec_;
  PolicyInputs inputs_;
};

/// Has its own copy of the problem, as a world has.
template <Problem P, FilterFor<P> F>
class ProblemTracker final : public Tracker {
 public:
  /// `values`: of an observation that is one of a few, how many; 0 if that is not known.
  ProblemTracker(const P& problem, const ProblemSpec& complete_spec, int values)
      : Tracker(complete_spec),
        problem_(problem),
        filter_(problem_),
        belief_(problem_, filter_),
        values_(values),
        box_(static_cast<std::size_t>(spec_.actions.dim)) {
    belief_.make_room(1);
    reset();
  }

  int observation_size() const override { return bpo::observation_size(problem_); }

  void reset() override {
    belief_.reset(0);
    belief_.write_belief(0, inputs_);
  }
  void begin(std::uint64_t seed, std::uint64_t episode, std::span<const double> o) override {
    read_observation(problem_, o, values_, read_);
    belief_.begin(0, read_);
    inputs_.episodes = {seed, episode, 1};
    inputs_.time = 0;
    write();
  }
  bool update(std::span<const double> executed, std::span<const double> next) override {
    read_observation(problem_, next, values_, read_);
    const bool alive = belief_.update(0, read_action<P>(spec_.actions, executed, box_), read_);
    ++inputs_.time;
    write();
    return alive;
  }
  double entropy() const override { return belief_.entropy(0); }
  void limit_models(int most) override { belief_.limit_models(most); }

 private:
  /// An episode may last longer than the problem's; its clock then stands still.
  void write() { belief_.write(0, std::min(inputs_.time, spec_.horizon), spec_, inputs_); }

  const P problem_;
  const F filter_;
  BeliefTracker<P, F> belief_;
  int values_;
  typename P::Observation read_{};
  std::vector<float> box_;
};

}  // namespace bpo
