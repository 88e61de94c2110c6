// The models of a robot from a file: what each predicts, and how well that fits.
#include <algorithm>
#include <array>
#include <limits>

#include "bpo/problems/mujoco/own_robot.h"

namespace bpo {

int OwnRobot::residual_size() const { return 2 * sim_.model().nv + sim_.model().na; }

void OwnRobot::subtract(std::span<const double> from, std::span<const double> to,
                        std::span<double> out) const {
  const mjModel& m = sim_.model();
  const auto nv = static_cast<std::size_t>(m.nv), nq = static_cast<std::size_t>(m.nq);
  if (nq == nv) {
    for (std::size_t i = 0; i < nv; ++i) out[i] = to[i] - from[i];
  } else {
    mj_differentiatePos(&m, out.data(), 1.0, from.data(), to.data());
  }
  for (std::size_t i = nv; i < out.size(); ++i) out[i] = to[nq + i - nv] - from[nq + i - nv];
}

void OwnRobot::displace(std::span<double> x, std::span<const double> way) const {
  const mjModel& m = sim_.model();
  const auto nv = static_cast<std::size_t>(m.nv), nq = static_cast<std::size_t>(m.nq);
  if (nq == nv) {
    for (std::size_t i = 0; i < nv; ++i) x[i] += way[i];
  } else {
    mj_integratePos(&m, x.data(), way.data(), 1.0);
  }
  for (std::size_t i = nv; i < way.size(); ++i) x[nq + i - nv] += way[i];
}

void OwnRobot::unbias(const Latent& phi, std::span<double> x) const {
  for (std::size_t i = 0; i < phi.bias.size(); ++i) x[i] -= phi.bias[i];
}

bool OwnRobot::residual(const Latent& phi, const Observation& o, Action a, const Observation& next,
                        std::span<double> out) const {
  std::vector<double> x(o.begin(), o.begin() + sim_.state_size()),
      to(next.begin(), next.begin() + sim_.state_size());
  unbias(phi, x);
  unbias(phi, to);
  const std::vector<float> sent(o.begin() + sim_.state_size(),
                                o.begin() + sim_.state_size() + file_->history * sim_.model().nu);
  std::vector<float> now(a.size());
  controls(a, now);
  if (!advance(phi, x, now, sent)) return false;
  subtract(x, to, out);
  return true;
}

void OwnRobot::predict(std::span<Prediction> all, std::span<const float> sent) const {
  constexpr std::size_t kMost = 16 * LaneSim::kPackSize;
  for (; all.size() > kMost; all = all.subspan(kMost)) predict(all.first(kMost), sent);
  const auto now = sent.first(static_cast<std::size_t>(sim_.model().nu));
  std::array<LaneSim::Job, kMost> jobs;
  for (std::size_t k = 0; k < all.size() && lanes_; ++k) {
    jobs[k] = {all[k].phi->numbers, all[k].x, now};
  }
  if (lanes_) lanes_->advance({jobs.data(), all.size()}, file_->frame_skip);
  for (std::size_t k = 0; k < all.size(); ++k) {
    Prediction& p = all[k];
    p.good = jobs[k].covered || advance(*p.phi, p.x, now, sent.subspan(now.size()));
  }
}

void OwnRobot::see(const Latent& phi, std::span<const double> x, std::span<const float> sent,
                   std::span<double> out) const {
  if (file_->sees_sensors) {
    file_->edits->apply(sim_, phi.patch);
    sim_.look(x, sent.first(static_cast<std::size_t>(sim_.model().nu)), true);
  }
  const std::size_t size = x.size(),
                    read = size + static_cast<std::size_t>(file_->history * sim_.model().nu);
  for (std::size_t i = 0; i < file_->seen.size(); ++i) {
    const auto at = static_cast<std::size_t>(file_->seen[i].source);
    out[i] = at < size   ? x[at] + (at < phi.bias.size() ? phi.bias[at] : 0.0)
             : at < read ? sent[at - size]
                         : sim_.data().sensordata[at - read];
  }
}

double OwnRobot::log_density(std::span<const double> residual) const {
  double squares = 0.0;
  for (std::size_t i = 0; i < residual.size(); ++i) {
    squares += precision_[i] * residual[i] * residual[i];
  }
  return -0.5 * file_->every * squares;
}

void OwnRobot::log_likelihoods(std::span<const ModelQuery<OwnRobot>> queries, std::span<double> out,
                               std::span<bool> alike) const {
  constexpr std::size_t kMost = 16 * LaneSim::kPackSize;
  for (; queries.size() > kMost; queries = queries.subspan(kMost), out = out.subspan(kMost)) {
    log_likelihoods(queries.first(kMost), out.first(kMost), alike.first(alike.empty() ? 0 : kMost));
    alike = alike.subspan(alike.empty() ? 0 : kMost);
  }
  const auto size = static_cast<std::size_t>(sim_.state_size()),
             nu = static_cast<std::size_t>(sim_.model().nu),
             sent = nu * static_cast<std::size_t>(1 + file_->history);
  Scratch& scratch = scratch_;
  scratch.x.resize(size * kMost);
  scratch.sent.resize(sent * kMost);
  scratch.to.resize(size);
  scratch.missed.resize(static_cast<std::size_t>(residual_size()));
  std::array<LaneSim::Job, kMost> jobs;
  for (std::size_t k = 0; k < queries.size(); ++k) {
    const ModelQuery<OwnRobot>& q = queries[k];
    const std::span<double> x = std::span(scratch.x).subspan(k * size, size);
    const std::span<float> now = std::span(scratch.sent).subspan(k * sent, sent);
    std::copy_n(q.o->begin(), size, x.begin());
    unbias(cell(q.cell), x);
    controls(q.a, now.first(nu));
    std::copy_n(q.o->begin() + static_cast<std::ptrdiff_t>(size), sent - nu, now.begin() + nu);
    jobs[k] = {cell(q.cell).numbers, x, now.first(nu)};
  }
  if (lanes_) lanes_->advance({jobs.data(), queries.size()}, file_->frame_skip);
  for (std::size_t k = 0; k < queries.size(); ++k) {
    const ModelQuery<OwnRobot>& q = queries[k];
    const std::span<const float> before = std::span(scratch.sent).subspan(k * sent, sent);
    const bool good = jobs[k].covered ||
                      advance(cell(q.cell), jobs[k].state, jobs[k].controls, before.subspan(nu));
    std::copy_n(q.next->begin(), size, scratch.to.begin());
    unbias(cell(q.cell), scratch.to);
    if (good) subtract(jobs[k].state, scratch.to, scratch.missed);
    out[k] = good ? log_density(scratch.missed) : -std::numeric_limits<double>::infinity();
    if (!alike.empty()) alike[k] = jobs[k].covered && !jobs[k].touched;
  }
}

}  // namespace bpo
