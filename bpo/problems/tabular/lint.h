// What is odd about the tables of a finite problem though they add up: states that no action leads
// to, observations that are never made, actions that do what another does.
#pragma once

#include <vector>

#include "bpo/core/tabular.h"

namespace bpo {

struct TableLint {
  std::size_t transitions = 0, observations = 0;  // probabilities that are not zero
  std::size_t ends = 0;                           // states that nothing leaves and nothing pays in
  std::vector<int> unreachable, never_seen;       // states, observations
  struct Pair {
    int action, other;
  };
  /// `action` moves and shows what `other` does, and pays the same, or nowhere more.
  std::vector<Pair> duplicate, dominated;
};

TableLint lint(const TabularModel& model);

/// Whether nothing happens any more: every action stays there and pays nothing.
bool is_over(const TabularModel& model, int state);

}  // namespace bpo
