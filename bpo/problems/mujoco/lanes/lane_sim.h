// MuJoCo's physics, four models or states at a time. Rollouts and filters over models ask for many
// steps, each from a state they are given; with vector instructions and no search, one takes a
// small part of the time of mj_step. The equations are MuJoCo's: soft contacts with the floor and
// soft joint limits, pyramidal friction, Euler's method with implicit damping or Runge-Kutta's of
// fourth order, in a plane also drag in a fluid. The constraint solver ends at the very minimum
// that MuJoCo's approaches, so the two agree to the latter's tolerance (tests compare them).
//
// Covered are trees of hinges whose root floats: in a plane (planar.cpp) or in space (spatial.cpp).
// The rest is left to MuJoCo: models of other kinds (`of` returns nothing), and steps in which
// links touch each other, the solver does not settle or numbers overflow (`advance` says which).
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

  /// What tells one model of a kind from another: lengths, masses, inertias, springs, gains,
  /// friction, gravity.
  using Numbers = std::vector<double>;

  /// One control step: it starts from `state` = (qpos, qvel), keeps the controls constant, and
  /// leaves the result in `state`.
  struct Job {
    std::span<const double> numbers;
    std::span<double> state;
    std::span<const float> controls;
    bool covered = false;  // if false, MuJoCo has to make it, and the state is unchanged
    bool touched = true;   // if false, nothing came near the floor, and no friction mattered
  };

  /// Null unless models of this kind are covered.
  static std::shared_ptr<const LaneSim> of(const mjModel& model);
  virtual ~LaneSim() = default;

  /// The numbers of a model of the same kind; none if it is not covered, nor is a job without them.
  virtual void read_numbers(const mjModel& model, Numbers& out) const = 0;
  Numbers numbers(const mjModel& model) const {
    Numbers out;
    read_numbers(model, out);
    return out;
  }

  /// Makes any number of steps, four at a time; the result of one does not depend on the others.
  /// They use the model's integrator or, if asked, Euler's method.
  virtual void advance(std::span<Job> jobs, int frames, bool euler = false) const = 0;
};

namespace lanes {

/// Each returns null for models that it does not cover.
std::shared_ptr<const LaneSim> make_planar(const mjModel& model);
std::shared_ptr<const LaneSim> make_spatial(const mjModel& model);

}  // namespace lanes

}  // namespace bpo
