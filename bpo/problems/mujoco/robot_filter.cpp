#include "bpo/problems/mujoco/robot_filter.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bpo/core/filter_registry.h"

namespace bpo {
namespace {

constexpr std::uint64_t kSeed = 0x0B07;
constexpr double kPlace = 1.0, kSpeed = 10.0;  // spreads of what may be anywhere, in SI units

const RegisterFilter kRobotEntry{
    {"robot",
     "cells or moving samples of parameters, each with a Kalman filter of its own where the state "
     "is not told (robots from files)"}};

}  // namespace

void RobotFilter::AllModels::operator=(int most) {
  if (most == 0) return;
  throw bad_input(
      "max_models: this robot's filter has to simulate all its models in every step, for they are "
      "particles, keep estimates of the state, or may change; take fewer of them (bins, particles) "
      "or look at fewer steps (every) for less time, or 0 for no bound");
}

RobotFilter::RobotFilter(const OwnRobot& robot, const Latent* only)
    : robot_(robot),
      only_(only),
      particles_(!only && robot.file().particles > 0),
      sees_state_(robot.file().sees_state),
      changes_(!only && robot.file().changes()),
      models_(static_cast<std::size_t>(only         ? 1
                                       : particles_ ? robot.file().particles
                                                    : robot.cells())),
      size_(static_cast<std::size_t>(robot.file().sim->state_size())),
      dofs_(static_cast<std::size_t>(robot.residual_size())),
      seen_(robot.file().seen.size()),
      factors_(static_cast<std::size_t>(robot.factors())),
      scratch_(dofs_, factors_) {
  const RobotFile& file = robot.file();
  for (std::size_t i = 0; i < dofs_; ++i) noise_.push_back(1.0 / robot.precision(i));
  for (std::size_t i = 0; i < seen_; ++i) {
    const SeenNumber& seen = file.seen[i];
    const bool sensor = file.sees_sensor(seen);
    const double missed = !sensor                        ? 0.0
                          : file.sigma                   ? *file.sigma
                          : file.calibrated_seen.empty() ? 1.0
                                                         : file.calibrated_seen[i];
    const bool sent = !sensor && seen.source >= static_cast<int>(size_);
    variance_.push_back(sent ? -1.0 : seen.noise * seen.noise + missed * missed);
  }
  scratch_.before.resize(models_ * size_);
  scratch_.covariance.resize(dofs_ * dofs_);
  scratch_.way.resize(models_ * dofs_);
  scratch_.l.resize(models_);
  scratch_.seen.resize(models_ * seen_);
  scratch_.rows.resize(seen_ * dofs_);
  scratch_.beside.resize(dofs_ * size_);
  scratch_.unit.resize(dofs_);
  scratch_.apart.resize(std::max(dofs_, seen_));
  scratch_.to.resize(size_);
  scratch_.u.resize(models_ * factors_);
  scratch_.values.resize(factors_);
  scratch_.jobs.reserve(models_ + dofs_);
  scratch_.from.resize(models_);
  choose_shown();
  if (!particles_) return;
  // A Latin hypercube: in every factor one particle in each of `models` equal parts of the prior.
  prior_u_.resize(models_ * factors_);
  std::vector<std::size_t> order(models_);
  Rng rng(kSeed, Use::kFilter, 0);
  for (std::size_t f = 0; f < factors_; ++f) {
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t j = models_; j > 1; --j) {
      std::swap(order[j - 1], order[static_cast<std::size_t>(rng.below(static_cast<int>(j)))]);
    }
    for (std::size_t j = 0; j < models_; ++j) {
      prior_u_[j * factors_ + f] =
          (static_cast<double>(order[j]) + rng.uniform()) / static_cast<double>(models_);
    }
  }
  Weights w;
  w.u = prior_u_;
  w.own.resize(models_);
  for (std::size_t j = 0; j < models_; ++j) make_particle(w, j);
  prior_ = std::move(w.own);
}

RobotFilter::Weights RobotFilter::make_weights() const {
  Weights w;
  w.p.resize(models_);
  if (!sees_state_) w.covariance.resize(dofs_ * dofs_);
  w.x.resize(models_ * size_);
  const auto nu = static_cast<std::size_t>(robot_.file().sim->model().nu);
  w.sent.resize(nu * static_cast<std::size_t>(1 + robot_.file().history));
  reset(w);
  return w;
}

void RobotFilter::reset(Weights& w) const {
  std::fill(w.p.begin(), w.p.end(), 1.0 / static_cast<double>(models_));
  std::fill(w.sent.begin(), w.sent.end(), 0.0f);
  w.updates = 0;
  w.u = prior_u_;
  w.own = prior_;
  if (sees_state_) return;
  const RobotFile& file = robot_.file();
  const auto nv = static_cast<std::size_t>(file.sim->model().nv);
  std::fill(w.covariance.begin(), w.covariance.end(), 0.0);
  for (std::size_t i = 0; i < nv; ++i) {  // variances of U(-a, a) and N(0, a^2)
    w.covariance[i * dofs_ + i] = file.qpos_noise * file.qpos_noise / 3.0;
    w.covariance[(nv + i) * dofs_ + nv + i] = file.qvel_noise * file.qvel_noise;
  }
  for (std::size_t j = 0; j < models_; ++j) robot_.start(model(w, j), state(w.x, j));
}

void RobotFilter::begin(Weights& w, const OwnRobot::Observation& o) const {
  reset(w);
  if (sees_state_) return;
  if (robot_.starts_anywhere()) place(w, o);
  Rng rng(kSeed, Use::kFilter, 1);
  if (!take_in(w, nullptr, o, rng)) reset(w);
}

/// Where an episode may begin anywhere, what is read says where, and the rest is hardly known. The
/// reading itself is still to be taken in: it then makes no estimate another, but all of them sure.
void RobotFilter::place(Weights& w, const OwnRobot::Observation& o) const {
  const mjModel& m = robot_.file().sim->model();
  const auto nv = static_cast<std::size_t>(m.nv);
  for (std::size_t i = 0; i < dofs_; ++i) {
    const double spread = i >= nv && i < 2 * nv ? kSpeed : kPlace;
    double& variance = w.covariance[i * dofs_ + i];
    variance = std::max(variance, spread * spread);
  }
  for (std::size_t j = 0; j < models_; ++j) {
    const std::span<double> x = state(w.x, j);
    const std::vector<double>& bias = model(w, j).bias;
    for (std::size_t i = 0; i < seen_; ++i) {
      const auto at = static_cast<std::size_t>(robot_.file().seen[i].source);
      if (at < size_) x[at] = o[i] - (at < bias.size() ? bias[at] : 0.0);
    }
    mj_normalizeQuat(&m, x.data());
  }
}

bool RobotFilter::update(Weights& w, const OwnRobot::Observation& o, const OwnRobot::Action& a,
                         const OwnRobot::Observation& next) const {
  const auto nu = static_cast<std::ptrdiff_t>(a.size());
  std::copy_backward(w.sent.begin(), w.sent.end() - nu, w.sent.end());
  robot_.controls(a, std::span(w.sent).first(a.size()));
  Rng rng(kSeed, Use::kFilter, 2 + std::uint64_t{w.updates++});
  if (changes_) particles_ ? change_particles(w, rng) : change_cells(w);
  if (w.updates % static_cast<std::uint32_t>(robot_.every()) != 1 % robot_.every()) return true;
  if (take_in(w, &o, next, rng)) return true;
  robot_.starts_anywhere() ? begin(w, next) : reset(w);
  return false;
}

std::size_t RobotFilter::leader(const Weights& w) {
  return static_cast<std::size_t>(std::max_element(w.p.begin(), w.p.end()) - w.p.begin());
}

}  // namespace bpo
