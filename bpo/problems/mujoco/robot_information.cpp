// What can be learnt of each latent: Fisher information along episodes (robot_check.h).
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

#include "bpo/problems/mujoco/robot_check.h"
#include "bpo/problems/mujoco/robot_filter.h"

namespace bpo {
namespace {

constexpr int kEpisodes = 8, kLongest = 50, kHeld = 5;
constexpr double kQuarter = 1.0 / 16.0, kCorrelated = 0.8;
constexpr double kNever = std::numeric_limits<double>::infinity();

/// Two values of a latent around its own.
std::pair<double, double> around(const OwnRobot& robot, std::size_t i, double value) {
  const RobotLatent& l = robot.file().latents[i];
  double h = 0.01 * (l.prior.high - l.prior.low);
  if (l.edit.kind == EditKind::kDelay) h = std::max(h, robot.file().sim->model().opt.timestep);
  return {std::max(l.prior.low, value - h), std::min(l.prior.high, value + h)};
}

/// What two values of a latent around its own expect of the same steps: told the state, from
/// there, otherwise from what each of them estimates it to be.
class Beside {
 public:
  Beside(const OwnRobot& robot, const std::vector<double>& values, std::size_t i,
         const OwnRobot::Observation& first)
      : robot_(robot) {
    const auto [low, high] = around(robot, i, values[i]);
    per_sd_ = robot.file().latents[i].prior.moments().second / (high - low);
    for (const double value : {low, high}) {
      std::vector<double> beside = values;
      beside[i] = value;
      models_.push_back(robot.latent(beside));
    }
    for (const OwnRobot::Latent& model : models_) {
      filters_.emplace_back(robot, &model);
      weights_.push_back(filters_.back().make_weights());
      filters_.back().begin(weights_.back(), first);
    }
  }
  Beside(const Beside&) = delete;

  /// z_i: how far they are apart, for a standard deviation of the prior, in those of the noise.
  Eigen::VectorXd step(const OwnRobot::Observation& o, OwnRobot::Action a,
                       const OwnRobot::Observation& next) {
    std::vector<Eigen::VectorXd> missed;
    for (std::size_t k = 0; k < 2; ++k) {
      if (!(robot_.file().sees_state ? told(missed, models_[k], o, a, next)
                                     : estimated(missed, k, o, a, next))) {
        return {};
      }
    }
    return per_sd_ * (missed[1] - missed[0]);
  }

 private:
  bool told(std::vector<Eigen::VectorXd>& missed, const OwnRobot::Latent& model,
            const OwnRobot::Observation& o, OwnRobot::Action a,
            const OwnRobot::Observation& next) const {
    std::vector<double> out(static_cast<std::size_t>(robot_.residual_size()));
    if (!robot_.residual(model, o, a, next, out)) return false;
    for (std::size_t i = 0; i < out.size(); ++i) out[i] *= std::sqrt(robot_.precision(i));
    missed.emplace_back(Eigen::Map<Eigen::VectorXd>(out.data(), count(out.size())));
    return true;
  }
  bool estimated(std::vector<Eigen::VectorXd>& missed, std::size_t k,
                 const OwnRobot::Observation& o, OwnRobot::Action a,
                 const OwnRobot::Observation& next) {
    if (!filters_[k].update(weights_[k], o, a, next)) return false;
    const auto& out = weights_[k].missed;
    missed.emplace_back(Eigen::Map<const Eigen::VectorXd>(out.data(), count(out.size())));
    return true;
  }

  const OwnRobot& robot_;
  double per_sd_ = 0.0;
  std::vector<OwnRobot::Latent> models_;
  std::deque<RobotFilter> filters_;
  std::vector<RobotFilter::Weights> weights_;
};

/// The sum of z z' over steps, and how many there were.
struct Learnt {
  Eigen::MatrixXd sum;
  double steps = 0.0;
  Eigen::MatrixXd mean() const { return sum / std::max(steps, 1.0); }
};

/// That of each episode, which has latents of its own.
std::vector<Learnt> information(const OwnRobot& robot, const ActsOn& who) {
  const auto n = static_cast<Eigen::Index>(robot.factors());
  const bool sees_state = robot.file().sees_state;
  std::vector<Learnt> out;
  for (std::uint64_t e = 0; e < kEpisodes; ++e) {
    auto& [sum, steps] = out.emplace_back(Learnt{Eigen::MatrixXd::Zero(n, n)});
    Rng latent(2, Use::kLatent, e), state(2, Use::kState, e);
    const OwnRobot::Latent phi = robot.sample_latent(latent);
    OwnRobot::State s = robot.sample_state(phi, state);
    OwnRobot::Observation o = sees_state ? robot.reading(s, phi) : robot.observe(s, phi, state);
    std::deque<Beside> beside;
    for (std::size_t i = 0; i < phi.values.size(); ++i)
      beside.emplace_back(robot, phi.values, i, o);
    std::vector<float> a(static_cast<std::size_t>(robot.spec().actions.dim));
    for (int t = 0; t < std::min(kLongest, robot.spec().horizon); ++t) {
      Rng world(2, Use::kWorld, e, static_cast<std::uint32_t>(t));
      if (who) {
        const auto chosen = who(t, sees_state ? robot.observe(s, phi, world) : o);
        std::copy(chosen.begin(), chosen.end(), a.begin());
      } else if (t % kHeld == 0) {
        for (float& u : a) u = static_cast<float>(2.0 * world.uniform() - 1.0);
      }
      const StepResult result = robot.step(s, phi, a, world);
      if (result.fault) break;
      OwnRobot::Observation next =
          sees_state ? robot.reading(s, phi) : robot.observe(s, phi, world);
      Eigen::MatrixXd z;
      for (Eigen::Index i = 0; i < n; ++i) {
        const Eigen::VectorXd apart = beside[static_cast<std::size_t>(i)].step(o, a, next);
        if (apart.size() == 0) continue;
        if (z.size() == 0) z = Eigen::MatrixXd::Zero(apart.size(), n);
        z.col(i) = apart;
      }
      if (z.size() > 0) sum += z.transpose() * z;
      ++steps;
      o = std::move(next);
      if (result.done) break;
    }
  }
  return out;
}

Eigen::MatrixXd covariance(const Eigen::MatrixXd& information, double steps) {
  return (steps * information + Eigen::MatrixXd::Identity(information.rows(), information.cols()))
      .inverse();
}

/// How two latents are correlated after so many steps, as a mean over episodes. Which values of a
/// latent stand for which of another depends on both, so the mean information of all episodes tells
/// apart what no single one does: of a mass and a strength each episode has the ratio alone.
double correlation(const std::vector<Learnt>& episodes, Eigen::Index i, Eigen::Index j,
                   double steps) {
  double sum = 0.0;
  for (const Learnt& episode : episodes) {
    const Eigen::MatrixXd c = covariance(episode.mean(), steps);
    sum += c(i, j) / std::sqrt(c(i, i) * c(j, j));
  }
  return sum / static_cast<double>(episodes.size());
}

}  // namespace

std::vector<LatentCheck> check_latents(const OwnRobot& robot, const ActsOn& who) {
  const std::vector<Learnt> episodes = information(robot, who);
  Learnt all{Eigen::MatrixXd::Zero(robot.factors(), robot.factors())};
  for (const Learnt& episode : episodes) {
    all.sum += episode.sum;
    all.steps += episode.steps;
  }
  const Eigen::MatrixXd info = all.mean();
  std::vector<LatentCheck> out;
  for (int i = 0; i < static_cast<int>(info.rows()); ++i) {
    LatentCheck l{.name = robot.file().latents[static_cast<std::size_t>(i)].name,
                  .effect = std::sqrt(info(i, i)),
                  .steps = kNever};
    double low = 0.0, high = 1.0;
    while (high < 1e7 && covariance(info, high)(i, i) > kQuarter) high *= 2.0;
    if (high < 1e7) {
      for (int k = 0; k < 40; ++k) {
        const double middle = 0.5 * (low + high);
        (covariance(info, middle)(i, i) > kQuarter ? low : high) = middle;
      }
      l.steps = high;
    }
    for (int j = 0; j < static_cast<int>(info.rows()); ++j) {
      if (j != i && std::abs(correlation(episodes, i, j, robot.spec().horizon)) > kCorrelated) {
        l.confounded.push_back(robot.file().latents[static_cast<std::size_t>(j)].name);
      }
    }
    out.push_back(std::move(l));
  }
  return out;
}

}  // namespace bpo
