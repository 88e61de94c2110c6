// A belief that moves as a vector b = (mean, spread), as planners in belief space see it
// (van den Berg et al. 2012): after action a
//   b' = g(b, a) + (w, 0),   w ~ N(0, W(b, a)) on the mean,
// for the observation to come is not known yet.
#pragma once

#include <span>

namespace bpo {

class BeliefDynamics {
 public:
  virtual ~BeliefDynamics() = default;
  virtual int mean_dim() const = 0;
  /// The length of the vector b, which is laid out as the world's belief is.
  virtual int belief_dim() const = 0;
  /// g(b, a), and W row by row.
  virtual void next(std::span<const double> b, std::span<const float> a, std::span<double> b_next,
                    std::span<double> w) const = 0;
  /// Expected reward of the step that took action a and led to b. `obs` is what the lane observed;
  /// `last` whether the episode's time is then over.
  virtual double reward(std::span<const double> b_next, std::span<const float> a,
                        std::span<const float> obs, bool last) const = 0;
};

}  // namespace bpo
