#include "bpo/optimizers/objective.h"

#include <algorithm>
#include <cmath>

#include "bpo/nn/heads.h"

namespace bpo {

using kernels::kColumns;

namespace {

/// d/dr of min(r A, clip(r) A) over A, for the positive (gain) or negative (loss) advantages: 0
/// where the clipped side is active.
bool clipped(double ratio, double clip, bool positive) {
  return clip > 0.0 && (positive ? ratio > 1.0 + clip : ratio < 1.0 - clip);
}

}  // namespace

void NetworkObjective::run(std::span<const float> theta, bool for_gradient,
                           std::vector<float>& into) {
  pass_.forward(theta, for_gradient);
  if (for_gradient) theta_.assign(theta.begin(), theta.end());
  into.assign(pass_.output(0), pass_.output(0) + pass_.blocks() * pass_.output_block());
  if (network_.spec().gaussian) return;
  for (int b = 0; b < pass_.blocks(); ++b) {
    softmax(network_.spec().outputs, padded_columns(pass_.columns_in(b)),
            into.data() + b * pass_.output_block());
  }
}

PolicyObjective::Value NetworkObjective::bind(const RatedBatch& batch,
                                              std::span<const float> theta_old) {
  const NetworkSpec& spec = network_.spec();
  own_ = make_samples(batch.batch, batch.advantages, batch.keep, spec.gaussian ? 0 : spec.outputs);
  return bind(own_, theta_old);
}

PolicyObjective& NetworkObjective::part(std::span<const int> units,
                                        std::span<const float> theta_old) {
  if (!part_) {
    part_ = std::make_unique<NetworkObjective>(network_, pool_);
    part_inputs_ = std::make_unique<Inputs>(network_.spec().state_dim, network_.spec().belief_dim);
  }
  std::vector<int> columns;
  for (int unit : units) columns.push_back(counted_[unit]);
  part_samples_ = subset(*samples_, columns, *part_inputs_);
  part_->bind(part_samples_, theta_old);
  return *part_;
}

PolicyObjective::Value NetworkObjective::bind(const Samples& samples,
                                              std::span<const float> theta_old) {
  samples_ = &samples;
  counted_ = counted_columns(samples);
  pass_.bind(*samples.inputs);
  run(theta_old, true, old_);
  new_ = old_;
  if (network_.spec().gaussian) old_sd_ = spread(theta_old);
  return value(theta_old);
}

PolicyObjective::Value NetworkObjective::move(std::span<const float> theta) {
  run(theta, true, new_);
  return value(theta);
}

PolicyObjective::Value NetworkObjective::evaluate(std::span<const float> theta) {
  run(theta, false, new_);
  return value(theta);
}

PolicyObjective::Value NetworkObjective::value(std::span<const float> theta) {
  return network_.spec().gaussian ? gaussian_value(spread(theta)) : categorical_value();
}

PolicyObjective::Value NetworkObjective::categorical_value() const {
  const int n = network_.spec().outputs;
  Value sum;
  for (int block = 0; block < pass_.blocks(); ++block) {
    for (int j = 0; j < pass_.columns_in(block); ++j) {
      const int c = block * kColumns + j;
      const float* before = old_block(block) + j;
      const float* now = new_block(block) + j;
      const double w = samples_->weight[c];
      sum.kl += w * categorical_kl(n, before, now);
      sum.entropy += w * categorical_entropy(n, now);
      for (int a = 0; a < n; ++a) {
        const std::size_t at = static_cast<std::size_t>(c) * n + a;
        const double advantage = double{samples_->gain[at]} + samples_->loss[at];
        if (advantage != 0.0) sum.surrogate += advantage * now[a * kColumns] / before[a * kColumns];
      }
    }
  }
  return sum;
}

void NetworkObjective::add_gaussian(int block, const Spread& sd, Value& sum) const {
  const int n = network_.spec().action_size();
  Spread own = sd, own_old = old_sd_;
  for (int j = 0; j < pass_.columns_in(block); ++j) {
    const int c = block * kColumns + j;
    const float* before = old_block(block) + j;
    const float* now = new_block(block) + j;
    const Spread &sd_now = spread_of(now, sd, own), &sd_old = spread_of(before, old_sd_, own_old);
    sum.kl += samples_->weight[c] * gaussian_kl(sd_old, before, sd_now, now);
    if (network_.spec().own_spread) sum.entropy += samples_->weight[c] * gaussian_entropy(sd_now);
    for (int k = samples_->first[c]; k < samples_->first[c + 1]; ++k) {
      const float* a = action(k, n);
      sum.surrogate += samples_->advantage[k] * std::exp(gaussian_log_density(sd_now, now, a) -
                                                         gaussian_log_density(sd_old, before, a));
    }
  }
}

PolicyObjective::Value NetworkObjective::gaussian_value(const Spread& sd) {
  values_.assign(pass_.blocks(), {});
  Value sum{.entropy = network_.spec().own_spread ? 0.0 : gaussian_entropy(sd)};
  map_reduce(
      pool_, pass_.blocks(), [&](int block) -> Value& { return values_[block]; },
      [&](int block, int) { add_gaussian(block, sd, values_[block]); },
      [&](int block) { sum += values_[block]; });
  return sum;
}

void NetworkObjective::fill_categorical(int block, double clip, float* d) const {
  const int n = network_.spec().outputs;
  std::fill_n(d, pass_.output_block(), 0.0f);
  for (int j = 0; j < pass_.columns_in(block); ++j) {
    const std::size_t c = static_cast<std::size_t>(block) * kColumns + j;
    const float* before = old_block(block) + j;
    const float* now = new_block(block) + j;
    double total = 0.0;
    for (int a = 0; a < n; ++a) {
      const std::size_t at = c * n + a;
      const double ratio = double{now[a * kColumns]} / before[a * kColumns];
      double slope = 0.0;  // the objective's derivative by log pi(a)
      if (samples_->gain[at] != 0.0f && !clipped(ratio, clip, true)) slope += samples_->gain[at];
      if (samples_->loss[at] != 0.0f && !clipped(ratio, clip, false)) slope += samples_->loss[at];
      if (slope != 0.0) slope *= ratio;
      d[a * kColumns + j] = static_cast<float>(slope);
      total += slope;
    }
    for (int a = 0; a < n; ++a) {
      d[a * kColumns + j] -= static_cast<float>(total * now[a * kColumns]);
    }
  }
}

void NetworkObjective::fill_gaussian(int block, const Spread& sd, double clip, float* d,
                                     std::span<double> d_log_std) const {
  const int n = network_.spec().action_size();
  std::fill_n(d, pass_.output_block(), 0.0f);
  Spread own = sd, own_old = old_sd_;
  for (int j = 0; j < pass_.columns_in(block); ++j) {
    const int c = block * kColumns + j;
    const float* before = old_block(block) + j;
    const float* now = new_block(block) + j;
    const Spread &sd_now = spread_of(now, sd, own), &sd_old = spread_of(before, old_sd_, own_old);
    for (int k = samples_->first[c]; k < samples_->first[c + 1]; ++k) {
      const float* a = action(k, n);
      const double ratio =
          std::exp(gaussian_log_density(sd_now, now, a) - gaussian_log_density(sd_old, before, a));
      const double advantage = samples_->advantage[k];
      if (advantage == 0.0 || clipped(ratio, clip, advantage > 0.0)) continue;
      for (int q = 0; q < n; ++q) {
        const double z = (a[q] - now[q * kColumns]) * sd_now.inverse(q);
        const double slope = advantage * ratio * (z * z - 1.0);  // in the log sd
        d[q * kColumns + j] += static_cast<float>(advantage * ratio * z * sd_now.inverse(q));
        if (network_.spec().own_spread) {
          d[(n + q) * kColumns + j] += static_cast<float>(slope);
        } else {
          d_log_std[q] += slope;
        }
      }
    }
  }
}

void NetworkObjective::gradient(double clip, std::span<double> out) {
  std::fill(out.begin(), out.end(), 0.0);
  if (!network_.spec().gaussian) {
    pass_.backward(
        theta_, [&](int block, float* d) { fill_categorical(block, clip, d); }, out);
    return;
  }
  const int n = network_.spec().action_size();
  const Spread sd = spread(theta_);
  d_log_std_.assign(static_cast<std::size_t>(pass_.blocks()) * n, 0.0);
  pass_.backward(
      theta_,
      [&](int block, float* d, std::span<double> d_log_std) {
        fill_gaussian(block, sd, clip, d, d_log_std);
      },
      d_log_std_, out);
  if (network_.spec().own_spread) return;
  for (int block = 0; block < pass_.blocks(); ++block) {
    for (int q = 0; q < n; ++q) out[network_.log_std() + q] += d_log_std_[block * n + q];
  }
}

/// The softmax Fisher matrix of a column is diag(p) - p p'.
void NetworkObjective::categorical_metric(int block, float* t) const {
  const int n = network_.spec().outputs;
  const float* p = old_block(block);
  for (int j = 0; j < kColumns; ++j) {
    const float w = weight_at(block, j);
    float mean = 0.0f;  // p't
    for (int a = 0; a < n; ++a) mean += p[a * kColumns + j] * t[a * kColumns + j];
    for (int a = 0; a < n; ++a) {
      float& x = t[a * kColumns + j];
      x = w == 0.0f ? 0.0f : w * p[a * kColumns + j] * (x - mean);
    }
  }
}

/// The Fisher metric of a Gaussian is 1 / sd^2 in its mean and 2 in log sd.
void NetworkObjective::gaussian_metric(int block, float* t) const {
  const int n = network_.spec().action_size();
  Spread own = old_sd_;
  for (int j = 0; j < kColumns; ++j) {
    const float w = weight_at(block, j);
    const Spread& sd = w == 0.0f ? old_sd_ : spread_of(old_block(block) + j, old_sd_, own);
    for (int a = 0; a < network_.spec().outputs; ++a) {
      float& x = t[a * kColumns + j];
      if (w == 0.0f) {
        x = 0.0f;
      } else {
        x *= w * (a < n ? static_cast<float>(sd.inverse(a) * sd.inverse(a)) : 2.0f);
      }
    }
  }
}

void NetworkObjective::fisher(std::span<const double> v, std::span<double> out) {
  const NetworkSpec& spec = network_.spec();
  v_.assign(v.begin(), v.end());
  std::fill(out.begin(), out.end(), 0.0);
  pass_.curvature(
      theta_, v_,
      [&](int block, float* t) {
        spec.gaussian ? gaussian_metric(block, t) : categorical_metric(block, t);
      },
      out);
  if (!spec.gaussian || spec.own_spread) return;
  for (int q = 0; q < spec.outputs; ++q) {
    out[network_.log_std() + q] += 2.0 * v[network_.log_std() + q];
  }
}

}  // namespace bpo
