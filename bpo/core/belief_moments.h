// What a belief that is told by moments (BeliefMoments) says of its factors.
#pragma once

#include <cstddef>
#include <span>

#include "bpo/core/problem.h"

namespace bpo {

/// A factor's mean and spread, and the 90 % interval of a normal distribution that has them.
struct Marginal {
  double mean = 0.0, sd = 0.0, low = 0.0, high = 0.0;
};

inline Marginal marginal(const BeliefMoments& moments, std::span<const float> belief, int factor) {
  constexpr double kNinety = 1.645;
  const double mean = belief[static_cast<std::size_t>(factor)],
               sd = belief[static_cast<std::size_t>(moments.factors() + factor)];
  return {mean, sd, mean - kNinety * sd, mean + kNinety * sd};
}

/// The correlation of two different factors.
inline double correlation(const BeliefMoments& moments, std::span<const float> belief, int f,
                          int g) {
  if (f > g) return correlation(moments, belief, g, f);
  const int k = moments.factors(), before = f * (2 * k - f - 1) / 2;  // pairs of earlier factors
  return belief[static_cast<std::size_t>(2 * k + before + g - f - 1)];
}

}  // namespace bpo
