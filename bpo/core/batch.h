// What one iteration of Algorithm 1 has simulated, episode after episode, as columns of plain data.
#pragma once

#include <cstdint>
#include <vector>

#include "bpo/core/fault.h"
#include "bpo/core/inputs.h"

namespace bpo {

struct Batch {
  Batch(int state_dim, int belief_dim) : inputs(state_dim, belief_dim) {}

  Inputs inputs;              // the distinct things the policy saw
  std::vector<int> column;    // by step: which of them
  std::vector<int> action;    // by step, where actions are discrete
  std::vector<float> box;     // by step, dim floats each, where they are not
  std::vector<float> latent;  // by step: phi, where a value function wants it
  std::vector<double> reward;
  std::vector<int> start{0};           // episode e is the steps start[e] .. start[e+1]-1
  std::vector<double> episode_return;  // undiscounted
  std::vector<double> objective;       // discounted as the problem says
  double belief_entropy = 0.0;         // mean, in nats
  std::int64_t filter_fallbacks = 0;
  std::vector<Fault> faults;

  int steps() const { return static_cast<int>(column.size()); }
  int episodes() const { return static_cast<int>(start.size()) - 1; }
};

}  // namespace bpo
