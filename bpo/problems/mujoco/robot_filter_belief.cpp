// How a robot's filter tells its belief: cell by cell, or by moments and the state's estimate.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "bpo/problems/mujoco/robot_filter.h"

namespace bpo {
namespace {

constexpr float kGrain = 0x1p-14f;  // as in filters/model_grid.h
constexpr int kPoints = 20;         // at which a part of a prior is averaged

}  // namespace

/// Where a robot is in the world is shown only if [observe] sees it: an estimate of what nothing
/// measures drifts.
void RobotFilter::choose_shown() {
  const RobotFile& file = robot_.file();
  for (const RobotLatent& latent : file.latents) {
    auto& parts = parts_.emplace_back();
    for (int i = 0; i < latent.bins && !particles_; ++i) {
      Part& part = parts.emplace_back();
      double squares = 0.0;
      for (int k = 0; k < kPoints; ++k) {
        const double x = latent.prior.quantile((i + (k + 0.5) / kPoints) / latent.bins);
        part.mean += x / kPoints;
        squares += x * x / kPoints;
      }
      part.variance = std::max(squares - part.mean * part.mean, 0.0);
    }
  }
  if (sees_state_ || !file.shows_moments) return;
  const mjModel& m = file.sim->model();
  std::vector<bool> place(size_, false);
  for (int j = 0; j < m.njnt; ++j) {
    const auto at = static_cast<std::size_t>(m.jnt_qposadr[j]);
    const std::size_t count = m.jnt_type[j] == mjJNT_FREE ? 3 : m.jnt_type[j] == mjJNT_SLIDE;
    std::fill_n(place.begin() + static_cast<std::ptrdiff_t>(at), count, true);
  }
  for (const SeenNumber& seen : file.seen) {
    const auto at = static_cast<std::size_t>(seen.source);
    if (at < size_) place[at] = false;
  }
  for (std::size_t i = 0; i < size_; ++i) {
    if (!place[i]) shown_.push_back(i);
  }
}

int RobotFilter::belief_dim() const { return moments() ? moments()->size() : robot_.cells(); }
std::optional<BeliefMoments> RobotFilter::moments() const {
  if (!robot_.file().shows_moments) return std::nullopt;
  BeliefMoments out;
  for (const RobotLatent& latent : robot_.file().latents) {
    const auto [mean, sd] = latent.prior.moments();
    out.prior.push_back({mean, sd});
  }
  const std::vector<std::string> names = robot_.file().sim->state_names();
  for (const std::size_t i : shown_) out.state.push_back(names[i]);
  return out;
}
int RobotFilter::estimate_dim() const {
  return robot_.factors() + (robot_.estimates_state() ? static_cast<int>(shown_.size()) : 0);
}
double RobotFilter::belief_scale() const {
  return robot_.file().shows_moments ? 1.0 : std::sqrt(static_cast<double>(models_));
}

RobotFilter::Part RobotFilter::part(const Weights& w, std::size_t j, std::size_t f) const {
  if (particles_) return {w.own[j].values[f], 0.0};
  for (std::size_t g = factors_; --g > f;) j /= parts_[g].size();
  return parts_[f][j % parts_[f].size()];
}

void RobotFilter::belief(const Weights& w, std::span<float> out) const {
  if (robot_.file().shows_moments) return tell_moments(w, out);
  float sum = 0.0f;  // exact, as all are multiples of the grain
  for (std::size_t j = 0; j < models_; ++j) {
    sum += out[j] = kGrain * std::nearbyint(static_cast<float>(w.p[j]) / kGrain);
  }
  out[leader(w)] += 1.0f - sum;
}

void RobotFilter::tell_moments(const Weights& w, std::span<float> out) const {
  std::vector<double>& mean = scratch_.values;
  const auto sum_over = [&](auto&& of) {
    double sum = 0.0;
    for (std::size_t j = 0; j < models_; ++j) sum += w.p[j] > 0.0 ? w.p[j] * of(j) : 0.0;
    return sum;
  };
  for (std::size_t f = 0; f < factors_; ++f) {
    mean[f] = sum_over([&](std::size_t j) { return part(w, j, f).mean; });
    out[f] = static_cast<float>(mean[f]);
  }
  for (std::size_t f = 0; f < factors_; ++f) {
    out[factors_ + f] = static_cast<float>(std::sqrt(sum_over([&](std::size_t j) {
      const Part x = part(w, j, f);
      return (x.mean - mean[f]) * (x.mean - mean[f]) + x.variance;
    })));
  }
  std::size_t at = 2 * factors_;
  for (std::size_t f = 0; f < factors_; ++f) {
    for (std::size_t g = f + 1; g < factors_; ++g) {
      const double together = sum_over([&](std::size_t j) {
        return (part(w, j, f).mean - mean[f]) * (part(w, j, g).mean - mean[g]);
      });
      const double spreads = double{out[factors_ + f]} * out[factors_ + g];
      out[at++] = spreads > 0.0 ? static_cast<float>(together / spreads) : 0.0f;
    }
  }
  if (shown_.empty()) return;
  estimate_state(w, scratch_.to);
  for (const std::size_t i : shown_) out[at++] = static_cast<float>(scratch_.to[i]);
}

/// The mean over all models, along the degrees of freedom from the leader's.
void RobotFilter::estimate_state(const Weights& w, std::span<double> x) const {
  const std::size_t best = leader(w);
  const std::span<double> apart = std::span(scratch_.apart).first(dofs_), mean = scratch_.unit;
  std::fill(mean.begin(), mean.end(), 0.0);
  for (std::size_t j = 0; j < models_; ++j) {
    if (w.p[j] == 0.0 || j == best) continue;
    robot_.subtract(state(w.x, best), state(w.x, j), apart);
    for (std::size_t k = 0; k < dofs_; ++k) mean[k] += w.p[j] * apart[k];
  }
  const auto from = state(w.x, best);
  std::copy(from.begin(), from.end(), x.begin());
  robot_.displace(x, mean);
}

void RobotFilter::estimate(const Weights& w, std::span<float> out) const {
  const std::size_t best = leader(w);
  for (std::size_t f = 0; f < factors_; ++f) {
    double mean = 0.0;
    for (std::size_t j = 0; j < models_ && particles_; ++j) mean += w.p[j] * w.own[j].values[f];
    out[f] = static_cast<float>(particles_ ? mean : model(w, best).values[f]);
  }
  if (!robot_.estimates_state()) return;
  const auto of_best = state(w.x, best);
  if (particles_) estimate_state(w, scratch_.to);
  for (std::size_t i = 0; i < shown_.size(); ++i) {
    out[factors_ + i] =
        static_cast<float>(particles_ ? scratch_.to[shown_[i]] : of_best[shown_[i]]);
  }
}

double RobotFilter::entropy(const Weights& w) const {
  double sum = 0.0;
  for (const double p : w.p) sum -= p > 0.0 ? p * std::log(p) : 0.0;
  // Rounded, so that means over episodes are the same in any order.
  const auto rounded = [](double x) { return 0x1p-20 * std::nearbyint(x * 0x1p20); };
  if (!particles_) return rounded(sum);
  // Particles have the entropy of a Gaussian in the cube of the prior's probabilities.
  SmoothingKernel& kernel = scratch_.kernel;
  kernel.fit(w.p, w.u);
  const double unit = 0.5 * std::log(2.0 * std::numbers::pi * std::numbers::e);
  return rounded(kernel.log_volume() + static_cast<double>(factors_) * unit);
}

double RobotFilter::rank(const Weights& w, int factor, double x, double share) const {
  const auto f = static_cast<std::size_t>(factor);
  const RobotLatent& latent = robot_.file().latents[f];
  if (particles_) {
    double below = 0.0;
    for (std::size_t j = 0; j < models_; ++j) {
      const double value = w.own[j].values[f];
      below += w.p[j] * (value < x ? 1.0 : value == x ? share : 0.0);
    }
    return below;
  }
  const auto bins = static_cast<std::size_t>(latent.bins);
  std::size_t stride = 1;
  for (std::size_t g = f + 1; g < factors_; ++g) {
    stride *= static_cast<std::size_t>(robot_.file().latents[g].bins);
  }
  std::vector<double> mass(bins, 0.0);
  for (std::size_t j = 0; j < models_; ++j) mass[j / stride % bins] += w.p[j];
  return latent.prior.rank(mass, x, share);
}

}  // namespace bpo
