#include "bpo/problems/mujoco/lanes/lane_sim.h"

namespace bpo {

std::shared_ptr<const LaneSim> LaneSim::of(const mjModel& model) {
  if (auto planar = lanes::make_planar(model)) return planar;
  return lanes::make_spatial(model);
}

}  // namespace bpo
