// A problem's information states, type-erased for the exact planner. It begins in start();
// after t steps there are size(t) of them.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "bpo/core/problem.h"

namespace bpo {

/// What a policy may see in an information state.
struct InformationInputs {
  std::span<float> obs, belief, estimate;
};

class InformationModel {
 public:
  virtual ~InformationModel() = default;
  virtual const ProblemSpec& spec() const = 0;
  /// Whether outcomes depend on the view.
  virtual bool views_differ() const = 0;
  virtual std::size_t size(int t) const = 0;
  /// Fills at most kMaxOutcomes and returns how many.
  virtual int outcomes(int t, std::size_t i, int action, Perspective view,
                       std::span<Outcome> out) const = 0;
  virtual void inputs(int t, std::size_t i, const InformationInputs& out) const = 0;
  /// The information state at step 0.
  virtual std::size_t start() const = 0;
};

template <HasInformationState P, class F>
class Information final : public InformationModel {
 public:
  Information(ProblemSpec spec, const P& problem, const F& filter)
      : spec_(std::move(spec)), problem_(problem), filter_(filter) {}

  const ProblemSpec& spec() const override { return spec_; }
  bool views_differ() const override { return problem_.latent_is_fixed(); }
  std::size_t size(int t) const override { return problem_.info_size(t); }
  std::size_t start() const override { return problem_.info_start(); }
  int outcomes(int t, std::size_t i, int action, Perspective view,
               std::span<Outcome> out) const override {
    return problem_.info_outcomes(t, i, action, view, out);
  }
  void inputs(int t, std::size_t i, const InformationInputs& out) const override {
    problem_.encode(problem_.info_observation(t, i), out.obs);
    if (spec_.clock > 0.0) out.obs.back() = clock_feature(spec_, t);
    std::vector<int> counts(problem_.evidence_kinds());
    problem_.info_counts(t, i, counts);
    auto weights = filter_.make_weights();
    filter_.from_counts(counts, weights);
    filter_.belief(weights, out.belief);
    filter_.estimate(weights, out.estimate);
  }

 private:
  ProblemSpec spec_;
  const P& problem_;
  const F& filter_;
};

}  // namespace bpo
