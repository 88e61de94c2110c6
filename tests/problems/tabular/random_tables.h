// Tables drawn at random: a problem nobody thought of, of which a part of the state is seen.
#pragma once

#include <numeric>
#include <vector>

#include "bpo/core/rng.h"
#include "bpo/core/tabular.h"

namespace bpo::test {

/// Rows with about a third of their entries, which sum to one.
inline std::vector<SparseRows::Entry> random_row(int columns, Rng& rng) {
  std::vector<SparseRows::Entry> row;
  for (int c = 0; c < columns; ++c) {
    if (rng.below(3) == 0 || (c + 1 == columns && row.empty()))
      row.push_back({c, rng.uniform() + 0.1});
  }
  double sum = 0.0;
  for (const auto& e : row) sum += e.value;
  for (auto& e : row) e.value /= sum;
  return row;
}

inline TabularModel random_tables(int visible, int hidden, int actions, int observations,
                                  std::uint64_t seed) {
  Rng rng(seed, Use::kState, 0);
  TabularModel m{.states = visible * hidden,
                 .actions = actions,
                 .observations = observations,
                 .visible = visible,
                 .discount = 0.9,
                 .transition = std::vector<SparseRows>(actions),
                 .observation = std::vector<SparseRows>(actions),
                 .initial = std::vector<double>(visible * hidden)};
  for (int s = 0; s < m.states; ++s) {
    for (int a = 0; a < actions; ++a) {
      m.transition[a].add_row(random_row(m.states, rng));
      m.observation[a].add_row(random_row(observations, rng));
      m.reward.push_back(rng.uniform() - 0.5);
    }
  }
  for (const auto& [s, p] : random_row(m.states, rng)) m.initial[s] = p;
  return m;
}

}  // namespace bpo::test
