#include "bpo/problems/mujoco/lanes/lane_sim.h"

namespace bpo {

std::shared_ptr<const LaneSim> LaneSim::of(Sim& sim, std::span<const Patch> models) {
  if (auto planar = lanes::make_planar(sim, models)) return planar;
  return lanes::make_spatial(sim, models);
}

}  // namespace bpo
