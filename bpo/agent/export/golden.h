// Golden sequences: what an agent sees, believes and does in episodes of its own problem, to hold
// an exported policy to. Every sequence is reset in its middle, some are greedy, and in some
// another action is executed than was chosen.
#pragma once

#include <cstdint>
#include <vector>

#include "bpo/agent/export/taken_apart.h"
#include "bpo/core/json.h"

namespace bpo {

struct GoldenStep {
  bool first = false;  // an episode begins here, reset with seed and episode
  std::uint64_t seed = 0, episode = 0;
  bool greedy = false;
  std::vector<double> observation;
  std::vector<float> belief;  // the belief as the network sees it
  std::vector<float> output;  // probabilities, or means (and logarithms of standard deviations)
  std::vector<double> action, executed;
  bool alive = true;  // false: no model explained the observation, and the belief is the prior
};
using GoldenSequence = std::vector<GoldenStep>;

inline constexpr int kGoldenSequences = 32;

std::vector<GoldenSequence> golden_sequences(const TakenApart& policy);

Json golden_json(const std::vector<GoldenSequence>& sequences);

}  // namespace bpo
