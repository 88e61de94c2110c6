#include "bpo/optimizers/advantages.h"

#include <cmath>

namespace bpo {

std::vector<double> rewards_to_go(const Batch& batch, double discount) {
  return lambda_returns(batch, std::vector<double>(batch.steps(), 0.0), discount, 1.0);
}

std::vector<double> lambda_returns(const Batch& batch, const std::vector<double>& values,
                                   double discount, double lambda) {
  std::vector<double> out(batch.steps());
  for (int e = 0; e < batch.episodes(); ++e) {
    double next = 0.0;
    for (int i = batch.start[e + 1] - 1; i >= batch.start[e]; --i) {
      out[i] = batch.reward[i] + discount * next;
      next = (1.0 - lambda) * values[i] + lambda * out[i];
    }
  }
  return out;
}

std::vector<double> generalized_advantages(const Batch& batch, const std::vector<double>& values,
                                           double discount, double lambda) {
  std::vector<double> out(batch.steps());
  for (int e = 0; e < batch.episodes(); ++e) {
    double advantage = 0.0, next_value = 0.0;
    for (int i = batch.start[e + 1] - 1; i >= batch.start[e]; --i) {
      advantage =
          batch.reward[i] + discount * next_value - values[i] + discount * lambda * advantage;
      out[i] = advantage;
      next_value = values[i];
    }
  }
  return out;
}

void standardize(std::vector<double>& advantages, const std::vector<std::uint8_t>& keep) {
  double n = 0.0, sum = 0.0, squares = 0.0;
  const auto counts = [&](std::size_t i) { return keep.empty() || keep[i]; };
  for (std::size_t i = 0; i < advantages.size(); ++i) {
    if (!counts(i)) continue;
    n += 1.0;
    sum += advantages[i];
  }
  const double mean = sum / n;
  for (std::size_t i = 0; i < advantages.size(); ++i) {
    if (counts(i)) squares += (advantages[i] - mean) * (advantages[i] - mean);
  }
  const double scale = 1.0 / (std::sqrt(squares / n) + 1e-8);
  for (double& a : advantages) a = (a - mean) * scale;
}

double explained_variance(const std::vector<double>& values, const std::vector<double>& targets) {
  const auto n = static_cast<double>(targets.size());
  double mean = 0.0, mean_gap = 0.0, variance = 0.0, gap_variance = 0.0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    mean += targets[i] / n;
    mean_gap += (targets[i] - values[i]) / n;
  }
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const double gap = targets[i] - values[i] - mean_gap;
    variance += (targets[i] - mean) * (targets[i] - mean);
    gap_variance += gap * gap;
  }
  return variance > 0.0 ? 1.0 - gap_variance / variance : 0.0;
}

}  // namespace bpo
