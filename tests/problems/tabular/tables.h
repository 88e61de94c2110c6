// Tables compared number by number, and read where the tests look.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "bpo/core/tabular.h"

namespace bpo::test {

inline double entry(const SparseRows& rows, int row, int column) {
  double sum = 0.0;
  for (const auto& [c, value] : rows.row(row)) sum += c == column ? value : 0.0;
  return sum;
}

inline double reward(const TabularModel& m, int s, int a) {
  return m.reward[static_cast<std::size_t>(s) * m.actions + a];
}

inline void expect_rows(const SparseRows& a, const SparseRows& b, int columns, double within) {
  ASSERT_EQ(a.rows(), b.rows());
  for (int r = 0; r < a.rows(); ++r) {
    for (int c = 0; c < columns; ++c) ASSERT_NEAR(entry(a, r, c), entry(b, r, c), within) << r;
  }
}

/// The same problem, every number within `within`.
inline void expect_same(const TabularModel& a, const TabularModel& b, double within = 0.0) {
  ASSERT_EQ(a.states, b.states);
  ASSERT_EQ(a.actions, b.actions);
  ASSERT_EQ(a.observations, b.observations);
  ASSERT_EQ(a.visible, b.visible);
  EXPECT_EQ(a.discount, b.discount);
  for (int s = 0; s < a.states; ++s) {
    ASSERT_NEAR(a.initial[s], b.initial[s], within);
    for (int i = 0; i < a.actions; ++i) ASSERT_NEAR(reward(a, s, i), reward(b, s, i), within);
  }
  for (int i = 0; i < a.actions; ++i) {
    expect_rows(a.transition[i], b.transition[i], a.states, within);
    expect_rows(a.observation[i], b.observation[i], a.observations, within);
  }
}

}  // namespace bpo::test
