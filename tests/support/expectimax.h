// Finite problems that are drawn at random, with part of the state seen, and what is best in them
// by trying everything.
#pragma once

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "bpo/core/tabular.h"

namespace bpo::test {

/// The best that can be had from `b` on in so many steps; b may have any sum.
inline double expectimax(const TabularModel& m, const std::vector<double>& b, int steps) {
  if (steps == 0) return 0.0;
  const int hidden = m.states / m.visible, seen = m.visible * m.observations;
  double best = -std::numeric_limits<double>::infinity();
  for (int a = 0; a < m.actions; ++a) {
    double value = 0.0;
    std::vector<std::vector<double>> next(seen, std::vector<double>(m.states));
    for (int s = 0; s < m.states; ++s) {
      value += b[s] * m.reward[static_cast<std::size_t>(s) * m.actions + a];
      for (const auto& to : m.transition[a].row(s)) {
        for (const auto& o : m.observation[a].row(to.column)) {
          next[to.column / hidden * m.observations + o.column][to.column] +=
              b[s] * to.value * o.value;
        }
      }
    }
    for (const std::vector<double>& after : next) {
      if (std::accumulate(after.begin(), after.end(), 0.0) <= 0.0) continue;
      value += m.discount * expectimax(m, after, steps - 1);
    }
    best = std::max(best, value);
  }
  return best;
}

/// The same at the beginning, where x is seen before the first action.
inline double expectimax(const TabularModel& m) {
  const int hidden = m.states / m.visible;
  double sum = 0.0;
  for (int x = 0; x < m.visible; ++x) {
    std::vector<double> b(m.states);
    std::copy_n(m.initial.begin() + x * hidden, hidden, b.begin() + x * hidden);
    sum += expectimax(m, b, m.horizon);
  }
  return sum;
}

}  // namespace bpo::test
