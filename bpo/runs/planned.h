// A policy of alpha vectors where an episode begins, as drawings need it.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bpo/agent/bundle.h"

namespace bpo {

struct PlannedSlice {
  std::string seen;                          // what is seen there; empty where nothing is
  int stages = 0;                            // steps until the end; 0: there is none
  std::vector<std::string> states, actions;  // names, of the hidden states
  // Over hidden states, those that are best at some mixture of two; none where states are many.
  std::vector<std::vector<double>> vectors;
  std::vector<int> vector_actions;
  bool acts_on_belief = true;                      // otherwise on the most likely state alone
  std::function<int(std::vector<double>)> action;  // at a belief; refers to the policy
};

/// One for each thing that may be seen at the beginning, up to `most`; none where the policy is not
/// made of vectors.
std::vector<PlannedSlice> planned_slices(const LoadedPolicy& loaded, int most);

}  // namespace bpo
