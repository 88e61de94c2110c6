// Models of one tree with their own numbers, and how four of them are packed into lanes.
#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>
#include <memory>
#include <utility>

#include "bpo/problems/mujoco/lanes/lane_sim.h"
#include "bpo/problems/mujoco/lanes/tree.h"

namespace bpo::lanes {

/// Lanes(tree, numbers) has load(lane, state), step() and store(lane, state), and kNumbers, the
/// most that a model can have.
template <class TreeT, class Lanes>
class Models final : public LaneSim {
 public:
  Models(TreeT tree, std::vector<std::vector<double>> numbers)
      : tree_(std::move(tree)), numbers_(std::move(numbers)) {}

  void advance(std::span<Job> jobs, int frames) const override {
    assert(!jobs.empty() && jobs.size() <= kPackSize);
    std::array<Pack, Lanes::kNumbers> numbers;
    Lanes lanes(tree_, numbers.data());
    std::fill_n(lanes.control.data(), tree_.dofs, Pack{});
    for (int lane = 0; lane < kPackSize; ++lane) {
      const Job& job = jobs[std::min<std::size_t>(lane, jobs.size() - 1)];
      const std::vector<double>& model = numbers_[job.model];
      for (std::size_t k = 0; k < model.size(); ++k) numbers[k][lane] = model[k];
      lanes.load(lane, job.state);
      for (std::size_t i = 0; i < tree_.actuators.size(); ++i) {
        const Actuator& actuator = tree_.actuators[i];
        double u = job.controls[i];
        if (!(std::abs(u) < 1e10)) lanes.covered[lane] = 0;
        if (actuator.limited) u = std::clamp(u, actuator.low, actuator.high);
        lanes.control[actuator.dof][lane] += actuator.gain * u;
      }
    }
    for (int frame = 0; frame < frames; ++frame) lanes.step();
    for (std::size_t lane = 0; lane < jobs.size(); ++lane) {
      jobs[lane].covered = lanes.covered[lane] != 0;
      if (jobs[lane].covered) lanes.store(static_cast<int>(lane), jobs[lane].state);
    }
  }

 private:
  TreeT tree_;
  std::vector<std::vector<double>> numbers_;  // [model]
};

/// `read` and `read_numbers` return false for models that they do not cover.
template <class TreeT, class Lanes, class Read, class ReadNumbers>
std::shared_ptr<const LaneSim> make_models(Sim& sim, std::span<const Patch> models, Read read,
                                           ReadNumbers read_numbers) {
  TreeT tree;
  if (!read(sim.model(), tree)) return nullptr;
  std::vector<std::vector<double>> numbers(models.size());
  for (std::size_t i = 0; i < models.size(); ++i) {
    sim.apply(models[i]);
    if (!read_numbers(sim.model(), tree, numbers[i])) return nullptr;
  }
  return std::make_shared<Models<TreeT, Lanes>>(std::move(tree), std::move(numbers));
}

}  // namespace bpo::lanes
