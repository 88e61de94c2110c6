// MuJoCo's physics for robots that move in a plane, four models at a time. A filter over models
// asks for many predictions a step, each from a state it is given. In a plane a pose is one angle
// and an inertia three numbers, and vector instructions do four models at once: a prediction takes
// a small part of the time of mj_step. The equations are MuJoCo's: soft contacts with the floor and
// soft joint limits, pyramidal friction, Euler's method with implicit damping, drag on the inertia
// box in a fluid. The constraint solver ends at the very minimum that MuJoCo's approaches, so the
// two agree to the latter's tolerance (a test compares them).
//
// What it does not cover is left to MuJoCo: models of other kinds (`of` returns nothing), and
// predictions in which links touch each other, the solver does not settle or numbers overflow
// (`advance` says which).
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "bpo/problems/mujoco/planar_tree.h"
#include "bpo/problems/mujoco/sim.h"

namespace bpo {

class PlanarSim {
 public:
  static constexpr int kLanes = planar::kLanes;

  /// From `state` = (qpos, qvel) under constant controls, in place.
  struct Job {
    int model = 0;
    std::span<double> state;
    std::span<const float> controls;
    bool covered = false;  // else the state is as it was
  };

  /// Nothing unless it covers all of these models.
  static std::optional<PlanarSim> of(Sim& sim, std::span<const Patch> models);

  /// At most kLanes jobs. What comes of a job does not depend on the others.
  void advance(std::span<Job> jobs, int frames) const;

 private:
  std::shared_ptr<const planar::Tree> tree_;  // what the models share
  std::vector<std::vector<double>> models_;   // what they do not
};

}  // namespace bpo
