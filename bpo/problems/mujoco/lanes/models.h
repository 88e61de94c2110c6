// Models of one tree with their own numbers, how four of them are packed into lanes, and how these
// move on in time.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <memory>
#include <utility>

#include "bpo/problems/mujoco/lanes/lane_sim.h"
#include "bpo/problems/mujoco/lanes/solver.h"
#include "bpo/problems/mujoco/lanes/tree.h"

namespace bpo::lanes {

/// Runge-Kutta's method of fourth order.
template <class Lanes>
void step_by_runge_kutta(Lanes& lanes, const Tree& tree) {
  constexpr std::array kShare{1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
  constexpr std::array kReach{0.5, 0.5, 1.0};  // how far the next stage reaches, in steps
  lanes.accelerate();
  const auto place = lanes.place();
  const DofVector start = lanes.v;
  DofVector velocity{}, acceleration{};
  for (std::size_t stage = 0;; ++stage) {
    for (int i = 0; i < tree.dofs; ++i) {
      velocity[i] = fma(kShare[stage], lanes.v[i], velocity[i]);
      acceleration[i] = fma(kShare[stage], lanes.acceleration[i], acceleration[i]);
    }
    if (stage == kReach.size()) break;
    const double h = kReach[stage] * tree.step;
    lanes.displace(place, lanes.v, h);
    for (int i = 0; i < tree.dofs; ++i) lanes.v[i] = fma(h, lanes.acceleration[i], start[i]);
    lanes.accelerate();
  }
  lanes.displace(place, velocity, tree.step);
  for (int i = 0; i < tree.dofs; ++i) lanes.v[i] = fma(tree.step, acceleration[i], start[i]);
  lanes.check_motion();
}

/// Euler's method: velocities first, with implicit damping, then places.
template <class Lanes>
void step_by_euler(Lanes& lanes, const Tree& tree) {
  lanes.accelerate();
  lanes.integrate_velocity();
  lanes.displace(lanes.place(), lanes.v, tree.step);
}

/// Lanes(tree, numbers) has load(lane, state), accelerate(), place(), displace(from, velocity,
/// time) and store(lane, state), read(model, tree) and read_numbers(model, tree, numbers), which
/// say whether they cover the model, and kNumbers, the most that one can have.
template <class Lanes>
class Models final : public LaneSim {
 public:
  using TreeT = typename Lanes::TreeT;

  static std::shared_ptr<const LaneSim> of(const mjModel& model) {
    TreeT tree;
    if (!Lanes::read(model, tree)) return nullptr;
    const auto out = std::make_shared<const Models>(std::move(tree));
    return out->numbers(model).empty() ? nullptr : out;
  }
  explicit Models(TreeT tree) : tree_(std::move(tree)) {}

  void read_numbers(const mjModel& model, Numbers& out) const override {
    if (!Lanes::read_numbers(model, tree_, out) || !read_drive(model, tree_, out)) out.clear();
  }

  void advance(std::span<Job> jobs, int frames, bool euler) const override {
    for (Job& job : jobs) job.covered = false;
    if (!euler && tree_.integrator == Integrator::kOther) return;
    std::array<Job*, kPackSize> pack;
    std::size_t count = 0;
    for (Job& job : jobs) {
      if (!job.numbers.empty()) pack[count++] = &job;
      if (count == kPackSize) advance_pack(pack, std::exchange(count, 0), frames, euler);
    }
    if (count > 0) advance_pack(pack, count, frames, euler);
  }

 private:
  void advance_pack(const std::array<Job*, kPackSize>& jobs, std::size_t count, int frames,
                    bool euler) const {
    std::array<Pack, Lanes::kNumbers> numbers;
    Lanes lanes(tree_, numbers.data());
    std::fill_n(lanes.control.data(), tree_.dofs, Pack{});
    for (int lane = 0; lane < kPackSize; ++lane) {
      const Job& job = *jobs[std::min<std::size_t>(lane, count - 1)];
      for (std::size_t k = 0; k < job.numbers.size(); ++k) numbers[k][lane] = job.numbers[k];
      lanes.load(lane, job.state);
      const double* gains =
          job.numbers.data() + job.numbers.size() - drive_size(tree_) + kPerDof * tree_.dofs;
      for (std::size_t i = 0; i < tree_.actuators.size(); ++i) {
        const Actuator& actuator = tree_.actuators[i];
        double u = job.controls[i];
        if (!(std::abs(u) < 1e10)) lanes.covered[lane] = 0;
        if (actuator.limited) u = std::clamp(u, actuator.low, actuator.high);
        lanes.control[actuator.dof][lane] += gains[i] * u;
      }
    }
    const bool runge_kutta = !euler && tree_.integrator == Integrator::kRungeKutta;
    for (int frame = 0; frame < frames; ++frame) {
      runge_kutta ? step_by_runge_kutta(lanes, tree_) : step_by_euler(lanes, tree_);
    }
    for (std::size_t lane = 0; lane < count; ++lane) {
      jobs[lane]->covered = lanes.covered[lane] != 0;
      jobs[lane]->touched = lanes.touched[lane] != 0;
      if (jobs[lane]->covered) lanes.store(static_cast<int>(lane), jobs[lane]->state);
    }
  }

  const TreeT tree_;
};

}  // namespace bpo::lanes
