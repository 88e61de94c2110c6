#include "bpo/optimizers/samples.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "bpo/core/rng.h"

namespace bpo {

Samples make_samples(const Batch& batch, const std::vector<double>& advantages,
                     const std::vector<std::uint8_t>& keep, int actions) {
  const std::size_t columns = batch.inputs.size();
  std::int64_t kept = 0;
  std::vector<int> count(columns, 0);
  const auto counts = [&](int i) { return keep.empty() || keep[i]; };
  for (int i = 0; i < batch.steps(); ++i) {
    if (!counts(i)) continue;
    ++count[batch.column[i]];
    ++kept;
  }
  const double share = 1.0 / static_cast<double>(kept);
  Samples out;
  out.inputs = &batch.inputs;
  out.actions = actions;
  out.weight.resize(columns);
  for (std::size_t c = 0; c < columns; ++c) out.weight[c] = static_cast<float>(count[c] * share);

  if (actions > 0) {
    std::vector<double> gain(columns * actions, 0.0), loss(columns * actions, 0.0);
    for (int i = 0; i < batch.steps(); ++i) {
      if (!counts(i)) continue;
      const std::size_t at = static_cast<std::size_t>(batch.column[i]) * actions + batch.action[i];
      (advantages[i] > 0.0 ? gain : loss)[at] += advantages[i] * share;
    }
    out.gain.assign(gain.begin(), gain.end());
    out.loss.assign(loss.begin(), loss.end());
    return out;
  }

  out.box = &batch.box;
  out.advantage.resize(batch.steps());
  out.first.assign(columns + 1, 0);
  for (int i = 0; i < batch.steps(); ++i) ++out.first[batch.column[i] + 1];
  for (std::size_t c = 0; c < columns; ++c) out.first[c + 1] += out.first[c];
  out.step.resize(batch.steps());
  std::vector<int> next(out.first.begin(), out.first.end() - 1);
  for (int i = 0; i < batch.steps(); ++i) {
    const int k = next[batch.column[i]]++;
    out.step[k] = i;
    out.advantage[k] = counts(i) ? static_cast<float>(advantages[i] * share) : 0.0f;
  }
  return out;
}

std::vector<int> counted_columns(const Samples& samples) {
  std::vector<int> out;
  for (std::size_t c = 0; c < samples.weight.size(); ++c) {
    if (samples.weight[c] > 0.0f) out.push_back(static_cast<int>(c));
  }
  return out;
}

Samples subset(const Samples& samples, const std::vector<int>& columns, Inputs& inputs) {
  Samples out;
  out.inputs = &inputs;
  out.actions = samples.actions;
  out.box = samples.box;
  out.first.push_back(0);
  inputs.select(samples.inputs->view(), columns);
  const auto counted = std::count_if(samples.weight.begin(), samples.weight.end(),
                                     [](float weight) { return weight > 0.0f; });
  const auto scale =
      static_cast<float>(static_cast<double>(counted) / static_cast<double>(columns.size()));
  for (int c : columns) {
    out.weight.push_back(scale * samples.weight[c]);
    for (int a = 0; a < samples.actions; ++a) {
      const std::size_t at = static_cast<std::size_t>(c) * samples.actions + a;
      out.gain.push_back(scale * samples.gain[at]);
      out.loss.push_back(scale * samples.loss[at]);
    }
    if (samples.actions > 0) continue;
    for (int k = samples.first[c]; k < samples.first[c + 1]; ++k) {
      out.step.push_back(samples.step[k]);
      out.advantage.push_back(scale * samples.advantage[k]);
    }
    out.first.push_back(static_cast<int>(out.step.size()));
  }
  return out;
}

std::vector<int> permutation(int n, std::uint64_t seed, std::uint64_t stream) {
  std::vector<int> out(n);
  std::iota(out.begin(), out.end(), 0);
  Rng rng(seed, Use::kShuffle, stream);
  for (int i = n - 1; i > 0; --i) std::swap(out[i], out[rng.below(i + 1)]);
  return out;
}

}  // namespace bpo
