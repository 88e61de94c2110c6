// MuJoCo's physics for a filter over models, four of them at a time. Such a filter asks for many
// predictions a step, each from a state it is given; with vector instructions and no search, one
// takes a small part of the time of mj_step. The equations are MuJoCo's: soft contacts with the
// floor and soft joint limits, pyramidal friction, Euler's method with implicit damping, in a plane
// also drag in a fluid. The constraint solver ends at the very minimum that MuJoCo's approaches, so
// the two agree to the latter's tolerance (tests compare them).
//
// Covered are trees of hinges whose root floats: in a plane (planar.cpp) or in space (spatial.cpp).
// The rest is left to MuJoCo: models of other kinds (`of` returns nothing), and predictions in
// which links touch each other, the solver does not settle or numbers overflow (`advance` says
// which).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "bpo/problems/mujoco/lanes/pack.h"
#include "bpo/problems/mujoco/sim.h"

namespace bpo {

class LaneSim {
 public:
  static constexpr int kPackSize = lanes::kPackSize;

  /// One prediction: it starts from `state` = (qpos, qvel), keeps the controls constant, and leaves
  /// the result in `state`.
  struct Job {
    int model = 0;
    std::span<double> state;
    std::span<const float> controls;
    bool covered = false;  // if false, MuJoCo has to make it, and the state is unchanged
  };

  /// Returns null unless every one of these models is covered.
  static std::shared_ptr<const LaneSim> of(Sim& sim, std::span<const Patch> models);
  virtual ~LaneSim() = default;

  /// Makes at most kPackSize predictions. The result of one does not depend on the others.
  virtual void advance(std::span<Job> jobs, int frames) const = 0;
};

namespace lanes {

/// Each returns null for models that it does not cover.
std::shared_ptr<const LaneSim> make_planar(Sim& sim, std::span<const Patch> models);
std::shared_ptr<const LaneSim> make_spatial(Sim& sim, std::span<const Patch> models);

}  // namespace lanes

}  // namespace bpo
