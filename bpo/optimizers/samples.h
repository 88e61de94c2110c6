// A batch as the optimiser sees it: weighted distinct inputs. Steps that share an input and an
// action share their gradient, so only the sum of their advantages matters (positive and negative
// ones apart, for PPO's clipping treats them differently). The objectives below are the same sums
// over steps, reordered.
#pragma once

#include <cstdint>
#include <vector>

#include "bpo/core/batch.h"

namespace bpo {

struct Samples {
  const Inputs* inputs = nullptr;
  std::vector<float> weight;      // by column: its share of the steps
  int actions = 0;                // discrete: the number of actions; 0 for a box
  std::vector<float> gain, loss;  // [column * actions + a]: positive, negative advantage over steps
  std::vector<int> first, step;   // box: column c has step[k] for k = first[c] .. first[c+1]-1
  const std::vector<float>* box = nullptr;  // box: by step
  std::vector<float> advantage;  // box: of step[k], over the number of steps; 0 if left out
};

/// `keep` by step: whether it counts (EPOpt's worst share); empty for all.
Samples make_samples(const Batch& batch, const std::vector<double>& advantages,
                     const std::vector<std::uint8_t>& keep, int actions);

/// The columns with a step that counts.
std::vector<int> counted_columns(const Samples& samples);

/// The given columns alone, all of them counted, their weights scaled up to stand for the whole.
/// `inputs` receives them and must outlive the result.
Samples subset(const Samples& samples, const std::vector<int>& columns, Inputs& inputs);

/// 0..n-1 in random order.
std::vector<int> permutation(int n, std::uint64_t seed, std::uint64_t stream);

}  // namespace bpo
