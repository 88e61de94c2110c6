// Batches made up for tests, and the plain form of the optimisers' objective: sums over steps in
// double, with the plain network.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "bpo/core/batch.h"
#include "tests/support/networks.h"

namespace bpo::test {

/// Episodes of 1 to 12 steps that visit random pairs of a few states and beliefs.
inline Batch random_batch(const NetworkSpec& spec, int episodes, std::uint64_t seed, int states = 4,
                          int beliefs = 9) {
  Batch batch(spec.state_dim, spec.belief_dim);
  Rng rng(seed, Use::kWorld, 0);
  const auto o = random_floats(static_cast<std::size_t>(states) * spec.state_dim, seed + 1);
  const auto b = random_floats(static_cast<std::size_t>(beliefs) * spec.belief_dim, seed + 2);
  for (int e = 0; e < episodes; ++e) {
    const int length = 1 + rng.below(12);
    double sum = 0.0;
    for (int t = 0; t < length; ++t) {
      batch.column.push_back(batch.inputs.add(o.data() + rng.below(states) * spec.state_dim,
                                              b.data() + rng.below(beliefs) * spec.belief_dim));
      if (spec.gaussian) {
        for (int i = 0; i < spec.action_size(); ++i) {
          batch.box.push_back(static_cast<float>(rng.normal()));
        }
      } else {
        batch.action.push_back(rng.below(spec.outputs));
      }
      batch.reward.push_back(rng.normal());
      sum += batch.reward.back();
    }
    batch.start.push_back(batch.steps());
    batch.episode_return.push_back(sum);
    batch.objective.push_back(sum);
  }
  return batch;
}

inline std::vector<double> random_advantages(const Batch& batch, std::uint64_t seed) {
  return to_double(random_floats(batch.steps(), seed));
}

/// The distribution's parameters of every step's input, in double.
class NaiveObjective {
 public:
  NaiveObjective(const Network& network, const Batch& batch, std::vector<double> advantages,
                 std::vector<std::uint8_t> keep, std::span<const float> theta_old)
      : network_(network),
        naive_(network),
        batch_(batch),
        advantages_(std::move(advantages)),
        keep_(std::move(keep)),
        theta_old_(to_double(theta_old)),
        old_(distributions(theta_old_)) {}

  bool counts(int i) const { return keep_.empty() || keep_[i]; }

  /// Mean over the steps that count of min(r A, clip(r) A); without clipping if clip is 0.
  double surrogate(std::span<const double> theta, double clip = 0.0) const {
    const auto now = distributions(theta);
    double sum = 0.0, n = 0.0;
    for (int i = 0; i < batch_.steps(); ++i) {
      if (!counts(i)) continue;
      n += 1.0;
      const double r = ratio(now, theta, i), a = advantages_[i];
      sum += clip > 0.0 ? std::min(r * a, std::clamp(r, 1.0 - clip, 1.0 + clip) * a) : r * a;
    }
    return sum / n;
  }

  double kl(std::span<const double> theta) const {
    const auto now = distributions(theta);
    return mean([&](int i) {
      double sum = 0.0;
      for (int a = 0; a < actions(); ++a) {
        const double p = at(old_, i, a), q = at(now, i, a);
        if (!gaussian()) {
          sum += p * std::log(p / q);
          continue;
        }
        const double s = log_std(theta_old_, old_, i, a), t = log_std(theta, now, i, a);
        sum += t - s + (std::exp(2 * s) + (p - q) * (p - q)) / (2 * std::exp(2 * t)) - 0.5;
      }
      return sum;
    });
  }

  double entropy(std::span<const double> theta) const {
    const auto now = distributions(theta);
    return mean([&](int i) {
      double sum = 0.0;
      for (int a = 0; a < actions(); ++a) {
        sum += gaussian() ? log_std(theta, now, i, a) +
                                0.5 * std::log(2 * std::numbers::pi * std::numbers::e)
                          : -at(now, i, a) * std::log(at(now, i, a));
      }
      return sum;
    });
  }

  /// The smallest distance of a step's ratio to one of PPO's kinks.
  double distance_to_kink(std::span<const double> theta, double clip) const {
    const auto now = distributions(theta);
    double least = 1.0;
    for (int i = 0; i < batch_.steps(); ++i) {
      const double r = ratio(now, theta, i);
      least = std::min({least, std::abs(r - 1.0 - clip), std::abs(r - 1.0 + clip)});
    }
    return least;
  }

 private:
  int outputs() const { return network_.spec().outputs; }
  int actions() const { return network_.spec().action_size(); }
  bool gaussian() const { return network_.spec().gaussian; }
  double log_std(std::span<const double> theta, const std::vector<double>& d, int i, int a) const {
    return network_.spec().own_spread ? at(d, i, actions() + a) : theta[network_.log_std() + a];
  }
  double at(const std::vector<double>& d, int i, int a) const {
    return d[batch_.column[i] * outputs() + a];
  }

  std::vector<double> distributions(std::span<const double> theta) const {
    std::vector<double> out = naive_.outputs(theta, batch_.inputs);
    if (gaussian()) return out;
    for (int c = 0; c < batch_.inputs.size(); ++c) {
      double total = 0.0;
      for (int a = 0; a < outputs(); ++a) {
        total += out[c * outputs() + a] = std::exp(out[c * outputs() + a]);
      }
      for (int a = 0; a < outputs(); ++a) out[c * outputs() + a] /= total;
    }
    return out;
  }

  double ratio(const std::vector<double>& now, std::span<const double> theta, int i) const {
    if (!gaussian()) return at(now, i, batch_.action[i]) / at(old_, i, batch_.action[i]);
    double sum = 0.0;
    for (int a = 0; a < actions(); ++a) {
      const double x = batch_.box[i * actions() + a];
      const double s = log_std(theta_old_, old_, i, a), t = log_std(theta, now, i, a);
      const double z = (x - at(now, i, a)) * std::exp(-t), y = (x - at(old_, i, a)) * std::exp(-s);
      sum += 0.5 * (y * y - z * z) + s - t;
    }
    return std::exp(sum);
  }

  template <class F>
  double mean(F f) const {
    double sum = 0.0, n = 0.0;
    for (int i = 0; i < batch_.steps(); ++i) {
      if (!counts(i)) continue;
      sum += f(i);
      n += 1.0;
    }
    return sum / n;
  }

  const Network& network_;
  NaiveNetwork naive_;
  const Batch& batch_;
  std::vector<double> advantages_;
  std::vector<std::uint8_t> keep_;
  std::vector<double> theta_old_, old_;
};

}  // namespace bpo::test
