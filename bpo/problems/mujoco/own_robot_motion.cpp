// How a robot from a file moves, and what comes of it.
#include <algorithm>
#include <array>
#include <cassert>

#include "bpo/problems/mujoco/own_robot.h"

namespace bpo {

void OwnRobot::start(const Latent& phi, std::span<double> x) const {
  const mjModel& m = sim_.model();
  std::fill(x.begin(), x.end(), 0.0);
  file_->edits->apply(sim_, phi.patch);
  const int key = file_->keyframe;
  std::copy_n(key >= 0 ? m.key_qpos + key * m.nq : m.qpos0, m.nq, x.begin());
  if (key < 0) return;
  std::copy_n(m.key_qvel + key * m.nv, m.nv, x.begin() + m.nq);
  std::copy_n(m.key_act + key * m.na, m.na, x.begin() + m.nq + m.nv);
}

OwnRobot::State OwnRobot::sample_state(const Latent& phi, Rng& rng) const {
  const mjModel& m = sim_.model();
  State s;
  s.x.resize(static_cast<std::size_t>(sim_.state_size()));
  start(phi, s.x);
  std::vector<double> way(static_cast<std::size_t>(m.nv));
  for (double& d : way) d = file_->qpos_noise * (2.0 * rng.uniform() - 1.0);
  mj_integratePos(&m, s.x.data(), way.data(), 1.0);
  for (int i = 0; i < m.nv; ++i) {
    s.x[static_cast<std::size_t>(m.nq + i)] += file_->qvel_noise * rng.normal();
  }
  s.sent.assign(static_cast<std::size_t>(file_->history * m.nu), 0.0f);
  refresh(s, phi, std::vector<float>(static_cast<std::size_t>(m.nu), 0.0f));
  return s;
}

void OwnRobot::controls(Action a, std::span<float> out) const {
  const mjModel& m = sim_.model();
  for (int i = 0; i < m.nu; ++i) {
    float& u = out[static_cast<std::size_t>(i)];
    u = std::clamp(a[static_cast<std::size_t>(i)], -1.0f, 1.0f);
    if (!m.actuator_ctrllimited[i]) continue;
    const double low = m.actuator_ctrlrange[2 * i], high = m.actuator_ctrlrange[2 * i + 1];
    u = static_cast<float>(0.5 * (low + high) + 0.5 * (high - low) * u);
  }
}

/// By MuJoCo. With a delay the step begins under controls that were sent before.
bool OwnRobot::advance(const Latent& phi, std::span<double> x, std::span<const float> now,
                       std::span<const float> sent) const {
  file_->edits->apply(sim_, phi.patch);
  const int skip = file_->frame_skip;
  const auto nu = static_cast<std::size_t>(sim_.model().nu);
  int left = skip;
  // The controls of h steps ago act until frame delay - (h - 1) skip of this one.
  for (int h = (phi.delay + skip - 1) / skip; h >= 1; --h) {
    const int until = std::min(skip, phi.delay - (h - 1) * skip), frames = until - (skip - left);
    if (frames <= 0) continue;
    if (!sim_.advance(x, sent.subspan(static_cast<std::size_t>(h - 1) * nu, nu), frames)) {
      return false;
    }
    left -= frames;
  }
  return left == 0 || sim_.advance(x, now, left);
}

/// What is measured of a state beyond itself.
void OwnRobot::refresh(State& s, const Latent& phi, std::span<const float> now) const {
  if (depth_ == Depth::kState) return;
  file_->edits->apply(sim_, phi.patch);
  sim_.look(s.x, now, depth_ == Depth::kForces);
  s.places.clear();
  for (const Measure& speed : speeds_) s.places.push_back(place_of(sim_, speed));
  if (file_->sees_sensors) {
    s.sensors.assign(sim_.data().sensordata, sim_.data().sensordata + sim_.model().nsensordata);
  }
}

StepResult OwnRobot::step(State& s, const Latent& phi, Action a, Rng&) const {
  Move<OwnRobot> move{&s, &phi, a};
  step_together({&move, 1});
  return move.result;
}

void OwnRobot::step_together(std::span<Move<OwnRobot>> moves) const {
  assert(moves.size() <= kLanes);
  std::array<std::vector<float>, kLanes> now;
  std::array<LaneSim::Job, kLanes> jobs;
  for (std::size_t k = 0; k < moves.size(); ++k) {
    now[k].resize(static_cast<std::size_t>(sim_.model().nu));
    controls(moves[k].a, now[k]);
    jobs[k] = {moves[k].phi->numbers, moves[k].s->x, now[k]};
  }
  if (lanes_ && world_on_lanes_) lanes_->advance({jobs.data(), moves.size()}, file_->frame_skip);
  for (std::size_t k = 0; k < moves.size(); ++k) {
    State& s = *moves[k].s;
    const Latent& phi = *moves[k].phi;
    const bool good = jobs[k].covered || advance(phi, s.x, now[k], s.sent);
    moves[k].result =
        good ? finish(s, phi, moves[k].a, now[k]) : StepResult{.done = true, .fault = true};
  }
}

StepResult OwnRobot::finish(State& s, const Latent& phi, Action a,
                            std::span<const float> now) const {
  if (!s.sent.empty()) {
    std::copy_backward(s.sent.begin(), s.sent.end() - static_cast<std::ptrdiff_t>(now.size()),
                       s.sent.end());
    std::copy(now.begin(), now.end(), s.sent.begin());
  }
  const std::vector<double> before = s.places;
  if (depth_ == Depth::kState) {
    std::copy_n(s.x.data(), sim_.model().nq, sim_.data().qpos);
    std::copy_n(s.x.data() + sim_.model().nq, sim_.model().nv, sim_.data().qvel);
  } else {
    refresh(s, phi, now);
  }
  StepResult out;
  std::size_t speed = 0;
  const auto value = [&](const Measure& m) {
    const bool moves = m.what == Quantity::kSpeed;
    const double way = moves ? s.places[speed] - before[speed] : 0.0;
    speed += moves;
    return measured(sim_, m, a, way, file_->step_seconds());
  };
  for (const RewardTerm& term : file_->rewards) out.reward += term.value(value(term.measure));
  for (const Termination& end : file_->terminations) {
    const double x = value(end.measure);
    out.done |= !(x >= end.least && x <= end.most);
  }
  return out;
}

}  // namespace bpo
