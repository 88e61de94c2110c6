// Which models a robot's filter has: cells that are dropped or change, particles that are drawn
// again, move or change.
#include <algorithm>
#include <cmath>

#include "bpo/problems/mujoco/robot_filter.h"

namespace bpo {
namespace {

constexpr double kTry = 0.05;  // at least so many particles try a change in every step

}  // namespace

void RobotFilter::drop(Weights& w) const {
  double sum = 0.0;
  for (double& p : w.p) {
    if (p < robot_.tolerance() / static_cast<double>(models_)) p = 0.0;
    sum += p;
  }
  for (double& p : w.p) p /= sum;
}

void RobotFilter::make_particle(Weights& w, std::size_t j) const {
  for (std::size_t f = 0; f < factors_; ++f) {
    scratch_.values[f] = robot_.file().latents[f].prior.quantile(w.u[j * factors_ + f]);
  }
  robot_.make_latent(scratch_.values, w.own[j]);
}

void RobotFilter::resample(Weights& w, Rng& rng) const {
  Scratch& s = scratch_;
  s.kernel.fit(w.p, w.u);
  bpo::resample(w.p, rng.uniform(), s.from);
  std::fill(w.p.begin(), w.p.end(), 1.0 / static_cast<double>(models_));
  s.u = w.u;
  // Systematic draws ascend, so that going down from the end of those that move up, and up through
  // the others, no ancestor is overwritten before it was copied.
  const auto copy = [&](std::size_t j) {
    const auto from = static_cast<std::size_t>(s.from[j]);
    if (from == j) return;
    std::copy_n(state(s.before, from).begin(), size_, state(s.before, j).begin());
    std::copy_n(state(w.x, from).begin(), size_, state(w.x, j).begin());
  };
  for (std::size_t j = 0; j < models_; ++j) {
    if (static_cast<std::size_t>(s.from[j]) >= j) copy(j);
  }
  for (std::size_t j = models_; j-- > 0;) {
    if (static_cast<std::size_t>(s.from[j]) < j) copy(j);
  }
  for (std::size_t j = 0; j < models_; ++j) {
    const std::span<double> u = std::span(w.u).subspan(j * factors_, factors_);
    std::copy_n(s.u.begin() +
                    static_cast<std::ptrdiff_t>(s.from[j]) * static_cast<std::ptrdiff_t>(factors_),
                factors_, u.begin());
    s.kernel.move(u, rng);
    make_particle(w, j);
  }
}

/// Only few particles would know of a change that is rarely right. So at least a share tries it,
/// with weights that make up for that.
void RobotFilter::change_particles(Weights& w, Rng& rng) const {
  double sum = 0.0;
  for (std::size_t j = 0; j < models_; ++j) {
    bool changed = false;
    for (std::size_t f = 0; f < factors_; ++f) {
      const double rate = robot_.file().latents[f].rate;
      if (rate == 0.0) continue;
      const double tried = std::max(rate, kTry);
      const bool now = rng.uniform() < tried;
      w.p[j] *= now ? rate / tried : (1.0 - rate) / std::max(1.0 - tried, 1e-12);
      if (now) w.u[j * factors_ + f] = rng.uniform();
      changed |= now;
    }
    if (changed) make_particle(w, j);
    sum += w.p[j];
  }
  for (double& p : w.p) p /= sum;
}

void RobotFilter::change_cells(Weights& w) const {
  std::size_t stride = models_;
  for (const RobotLatent& latent : robot_.file().latents) {
    const auto bins = static_cast<std::size_t>(latent.bins);
    stride /= bins;
    if (latent.rate == 0.0) continue;
    for (std::size_t j = 0; j < models_; ++j) {
      if (j / stride % bins == 0) mix_line(w, j, stride, bins, latent.rate);
    }
  }
}

/// Cells that differ in one latent, which is redrawn at a rate: each keeps its own estimate with
/// the share that stayed and takes the line's mean with the share that came.
void RobotFilter::mix_line(Weights& w, std::size_t first, std::size_t stride, std::size_t bins,
                           double rate) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < bins; ++i) sum += w.p[first + i * stride];
  if (sum == 0.0) return;
  const double comes = rate * sum / static_cast<double>(bins);
  Scratch& s = scratch_;
  const std::span<double> apart = std::span(s.apart).first(dofs_), mean = std::span(s.unit);
  if (!sees_state_) {
    std::fill(mean.begin(), mean.end(), 0.0);
    for (std::size_t i = 0; i < bins; ++i) {
      robot_.subtract(state(w.x, first), state(w.x, first + i * stride), apart);
      for (std::size_t k = 0; k < dofs_; ++k) mean[k] += w.p[first + i * stride] / sum * apart[k];
    }
    std::copy_n(state(w.x, first).begin(), size_, s.to.begin());
    robot_.displace(s.to, mean);
  }
  for (std::size_t i = 0; i < bins; ++i) {
    const std::size_t j = first + i * stride;
    w.p[j] = (1.0 - rate) * w.p[j] + comes;
    if (sees_state_) continue;
    robot_.subtract(state(w.x, j), s.to, apart);
    for (double& d : apart) d *= comes / w.p[j];
    robot_.displace(state(w.x, j), apart);
  }
}

}  // namespace bpo
