// The models of a robot from a file: what each predicts, and how well that fits.
#include <algorithm>
#include <array>
#include <limits>

#include "bpo/problems/mujoco/own_robot.h"

namespace bpo {

int OwnRobot::residual_size() const { return 2 * sim_.model().nv + sim_.model().na; }

void OwnRobot::subtract(std::span<const double> predicted, const Observation& next,
                        const Latent& phi, std::span<double> out) const {
  const mjModel& m = sim_.model();
  const auto nv = static_cast<std::size_t>(m.nv), nq = static_cast<std::size_t>(m.nq);
  if (nq == nv) {
    for (std::size_t i = 0; i < nv; ++i) {
      out[i] = next[i] - predicted[i] - (phi.bias.empty() ? 0.0 : phi.bias[i]);
    }
  } else {
    std::vector<double> seen(next.begin(), next.begin() + m.nq);
    for (std::size_t i = 0; i < phi.bias.size(); ++i) seen[i] -= phi.bias[i];
    mj_differentiatePos(&m, out.data(), 1.0, predicted.data(), seen.data());
  }
  for (std::size_t i = nv; i < out.size(); ++i) out[i] = next[nq + i - nv] - predicted[nq + i - nv];
}

bool OwnRobot::residual(const Latent& phi, const Observation& o, Action a, const Observation& next,
                        std::span<double> out) const {
  std::vector<double> x(o.begin(), o.begin() + sim_.state_size());
  for (std::size_t i = 0; i < phi.bias.size(); ++i) x[i] -= phi.bias[i];
  const std::vector<float> sent(o.begin() + sim_.state_size(),
                                o.begin() + sim_.state_size() + file_->history * sim_.model().nu);
  if (!advance(phi, x, controls(a), sent)) return false;
  subtract(x, next, phi, out);
  return true;
}

double OwnRobot::log_density(std::span<const double> residual) const {
  double squares = 0.0;
  for (std::size_t i = 0; i < residual.size(); ++i) {
    squares += precision_[i] * residual[i] * residual[i];
  }
  return -0.5 * squares;
}

void OwnRobot::log_likelihoods(std::span<const ModelQuery<OwnRobot>> queries,
                               std::span<double> out) const {
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  constexpr std::size_t kMost = 8 * LaneSim::kPackSize;
  for (; queries.size() > kMost; queries = queries.subspan(kMost), out = out.subspan(kMost)) {
    log_likelihoods(queries.first(kMost), out.first(kMost));
  }
  std::vector<double> missed(static_cast<std::size_t>(residual_size()));
  if (!lanes_) {
    for (std::size_t k = 0; k < queries.size(); ++k) {
      const ModelQuery<OwnRobot>& q = queries[k];
      const Latent& phi = (*cells_)[static_cast<std::size_t>(q.cell)];
      out[k] = residual(phi, *q.o, q.a, *q.next, missed) ? log_density(missed) : kNever;
    }
    return;
  }
  const auto size = static_cast<std::size_t>(sim_.state_size());
  std::array<std::vector<float>, kMost> now;
  std::array<LaneSim::Job, kMost> jobs;
  std::vector<double> predicted(size * queries.size());
  for (std::size_t k = 0; k < queries.size(); ++k) {
    const ModelQuery<OwnRobot>& q = queries[k];
    const Latent& phi = (*cells_)[static_cast<std::size_t>(q.cell)];
    const std::span<double> x = std::span(predicted).subspan(k * size, size);
    std::copy_n(q.o->begin(), size, x.begin());
    for (std::size_t i = 0; i < phi.bias.size(); ++i) x[i] -= phi.bias[i];
    now[k] = controls(q.a);
    jobs[k] = {phi.numbers, x, now[k]};
  }
  lanes_->advance({jobs.data(), queries.size()}, file_->frame_skip);
  for (std::size_t k = 0; k < queries.size(); ++k) {
    const ModelQuery<OwnRobot>& q = queries[k];
    const Latent& phi = (*cells_)[static_cast<std::size_t>(q.cell)];
    const bool good = jobs[k].covered || advance(phi, jobs[k].state, now[k], {});
    if (good) subtract(jobs[k].state, *q.next, phi, missed);
    out[k] = good ? log_density(missed) : kNever;
  }
}

}  // namespace bpo
