// How the models of a robot's filter predict a step and are weighed by what came of it.
#include <algorithm>
#include <cmath>
#include <limits>

#include "bpo/problems/mujoco/robot_filter.h"

namespace bpo {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();
constexpr double kEffective = 0.5;  // the share of the particles that count after a part
constexpr int kMostParts = 8;

}  // namespace

/// Without `o` no step was made: the episode begins.
bool RobotFilter::take_in(Weights& w, const OwnRobot::Observation* o,
                          const OwnRobot::Observation& next, Rng& rng) const {
  Scratch& s = scratch_;
  s.before = w.x;
  s.covariance = w.covariance;
  const double enough = kEffective * static_cast<double>(models_);
  double left = 1.0;
  for (int part = 1; left > 0.0; ++part) {
    predict(w, o);
    if (w.p[leader(w)] == 0.0) return false;
    sees_state_ ? compare(w, next) : weigh(w, next);
    double top = kNever, sum = 0.0;
    for (std::size_t j = 0; j < models_; ++j) {
      if (w.p[j] > 0.0) top = std::max(top, s.l[j]);
    }
    if (!(top > kNever)) return false;
    for (double& l : s.l) l -= top;
    const double power =
        particles_ && part < kMostParts ? largest_power(w.p, s.l, left, enough) : left;
    for (std::size_t j = 0; j < models_; ++j) {
      if (w.p[j] > 0.0) sum += w.p[j] *= std::exp(power * s.l[j]);
    }
    for (double& p : w.p) p /= sum;
    left -= power;
    for (std::size_t j = 0; j < models_ && !sees_state_; ++j) {
      if (w.p[j] > 0.0) {
        robot_.displace(state(w.x, j), std::span(s.way).subspan(j * dofs_, dofs_));
      }
    }
    if (particles_) {
      std::fill(s.l.begin(), s.l.end(), 0.0);
      if (left > 0.0 || effective_samples(w.p, s.l, 0.0) < enough) resample(w, rng);
    }
  }
  if (!particles_ && !changes_) drop(w);
  return true;
}

void RobotFilter::predict(Weights& w, const OwnRobot::Observation* o) const {
  Scratch& s = scratch_;
  w.covariance = s.covariance;
  s.jobs.clear();
  for (std::size_t j = 0; j < models_; ++j) {
    if (w.p[j] == 0.0) continue;
    const std::span<double> x = state(w.x, j);
    if (sees_state_) {
      std::copy_n(o->begin(), size_, x.begin());
      robot_.unbias(model(w, j), x);
    } else {
      std::copy_n(s.before.begin() + static_cast<std::ptrdiff_t>(j * size_), size_, x.begin());
    }
    s.jobs.push_back({&model(w, j), x});
  }
  if (o == nullptr) {
    std::fill(s.l.begin(), s.l.end(), 0.0);
    return;
  }
  const std::size_t alive = s.jobs.size(), best = leader(w);
  for (std::size_t k = 0; k < dofs_ && !sees_state_; ++k) {
    const std::span<double> x = state(s.beside, k);
    std::copy_n(s.before.begin() + static_cast<std::ptrdiff_t>(best * size_), size_, x.begin());
    std::fill(s.unit.begin(), s.unit.end(), 0.0);
    s.unit[k] = step_size(w, k);
    robot_.displace(x, s.unit);
    s.jobs.push_back({&model(w, best), x});
  }
  robot_.predict(s.jobs, w.sent);
  w.simulations += static_cast<std::int64_t>(s.jobs.size());
  if (!sees_state_) learn_motion(w, alive, best);
  for (std::size_t j = 0, job = 0; j < models_; ++j) {
    if (w.p[j] > 0.0 && !s.jobs[job++].good) w.p[j] = 0.0;  // it broke down
    s.l[j] = w.p[j] == 0.0 ? kNever : 0.0;
  }
}

/// The covariance moves by the leader's Jacobian, from differences that the estimate's own spread
/// makes as large as matters.
void RobotFilter::learn_motion(Weights& w, std::size_t alive, std::size_t best) const {
  Scratch& s = scratch_;
  const bool moved = std::any_of(s.jobs.begin(), s.jobs.end(), [&](const auto& job) {
    return job.good && job.x.data() == state(w.x, best).data();
  });
  for (std::size_t k = 0; k < dofs_; ++k) {
    const bool good = moved && s.jobs[alive + k].good;
    if (good)
      robot_.subtract(state(w.x, best), state(s.beside, k), std::span(s.apart).first(dofs_));
    for (std::size_t i = 0; i < dofs_; ++i) {
      s.kalman.jacobian[i * dofs_ + k] = good ? s.apart[i] / step_size(w, k) : i == k ? 1.0 : 0.0;
    }
  }
  s.kalman.predict(w.covariance, noise_);
}

double RobotFilter::step_size(const Weights& w, std::size_t k) const {
  return std::clamp(0.1 * std::sqrt(w.covariance[k * dofs_ + k]), 1e-6, 1e-2);
}

/// Told the state: the density of what each model misses of it.
void RobotFilter::compare(Weights& w, const OwnRobot::Observation& next) const {
  Scratch& s = scratch_;
  for (std::size_t j = 0; j < models_; ++j) {
    if (w.p[j] == 0.0) continue;
    std::copy_n(next.begin(), size_, s.to.begin());
    robot_.unbias(model(w, j), s.to);
    const std::span<double> apart = std::span(s.apart).first(dofs_);
    robot_.subtract(state(w.x, j), s.to, apart);
    s.l[j] = robot_.log_density(apart);
  }
}

/// How what is seen depends on the leader's state.
void RobotFilter::learn_sight(Weights& w) const {
  Scratch& s = scratch_;
  const std::size_t best = leader(w);
  const std::span<const double> plain = std::span(s.seen).subspan(best * seen_, seen_);
  const std::span<double> other = std::span(s.apart).first(seen_);
  for (std::size_t k = 0; k < dofs_; ++k) {
    const double h = step_size(w, k);
    std::copy_n(w.x.begin() + static_cast<std::ptrdiff_t>(best * size_), size_, s.to.begin());
    std::fill(s.unit.begin(), s.unit.end(), 0.0);
    s.unit[k] = h;
    robot_.displace(s.to, s.unit);
    robot_.see(model(w, best), s.to, w.sent, other);
    for (std::size_t i = 0; i < seen_; ++i) s.rows[i * dofs_ + k] = (other[i] - plain[i]) / h;
  }
}

/// Innovations weigh the models and correct their estimates.
void RobotFilter::weigh(Weights& w, const OwnRobot::Observation& next) const {
  Scratch& s = scratch_;
  std::fill(s.way.begin(), s.way.end(), 0.0);
  for (std::size_t j = 0; j < models_; ++j) {
    if (w.p[j] == 0.0) continue;
    robot_.see(model(w, j), state(w.x, j), w.sent, std::span(s.seen).subspan(j * seen_, seen_));
  }
  learn_sight(w);
  const std::size_t best = leader(w);
  w.missed.clear();
  for (std::size_t i = 0; i < seen_; ++i) {
    if (variance_[i] < 0.0) continue;
    const std::span<const double> h = std::span(s.rows).subspan(i * dofs_, dofs_);
    const double spread = s.kalman.measure(w.covariance, h, variance_[i]);
    for (std::size_t j = 0; j < models_; ++j) {
      if (w.p[j] == 0.0) continue;
      const std::span<double> way = std::span(s.way).subspan(j * dofs_, dofs_);
      const double e = next[i] - s.seen[j * seen_ + i] - SharedKalman::dot(h, way);
      s.l[j] -= 0.5 * e * e / spread;
      if (j == best) w.missed.push_back(e / std::sqrt(spread));
      for (std::size_t k = 0; k < dofs_; ++k) way[k] += s.kalman.gain()[k] * e;
    }
  }
  for (double& l : s.l) l = std::isnan(l) ? kNever : l;
}

}  // namespace bpo
