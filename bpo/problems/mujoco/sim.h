// One MuJoCo model and its data, kept safe: built from MJCF text, errors are exceptions, an
// unstable simulation is reported instead of silently reset, and no log file is written. A state is
// (qpos, qvel, act) and nothing else: the solver's warm start is zeroed at the start of each
// advance, so what comes of a state does not depend on what was simulated before. Knows no
// particular robot.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bpo/core/scene.h"
#include "bpo/problems/mujoco/mjcf_files.h"
#include "bpo/problems/mujoco/versions.h"

namespace bpo {

/// What an edit can change of a model: lengths, masses, inertias, and all that MuJoCo derives from
/// them. Switching between edited models is one copy of this, so a thread needs only one Sim.
using Patch = std::vector<double>;

class Sim {
 public:
  /// Compiles the MJCF text; `name` stands in error messages.
  Sim(std::string name, const std::string& mjcf);
  /// Compiles the first of the files, which asks for the others by their names.
  Sim(std::string name, std::span<const MjcfFile> files);
  /// A copy of the model as it is now, with data of its own.
  Sim(const Sim& other);
  Sim& operator=(const Sim&) = delete;

  const mjModel& model() const { return *model_; }
  /// The model to be edited; what MuJoCo derives of it is then the caller's to renew.
  mjModel& model() { return *model_; }
  const mjData& data() const { return *data_; }
  mjData& data() { return *data_; }

  /// How many numbers a state is.
  int state_size() const { return count(model_->nq + model_->nv + model_->na); }

  /// Moves state = (qpos, qvel, act) on by `frames` time steps under constant controls. False if
  /// the simulation went bad on the way; the state is then left as it was. It uses the model's
  /// integrator or, if asked, Euler's method, which takes a quarter of the time of Runge-Kutta's.
  bool advance(std::span<double> state, std::span<const float> controls, int frames,
               bool euler = false);

  /// MuJoCo's own steps with nothing around them, each from where the last one ended.
  void step_bare(std::span<const float> controls, int frames);

  /// Has MuJoCo work out where everything is in a state, and if asked to all forces and sensors.
  void look(std::span<const double> state, std::span<const float> controls, bool forces);

  /// What the numbers of a state and of the controls are, by the names of joints and actuators.
  std::vector<std::string> state_names() const;
  std::vector<std::string> control_names() const;
  /// Units of the state's numbers: lengths in metres, angles in radians, turns by quaternions.
  std::vector<std::string> state_units() const;

  /// Where the shapes of the model are in a state; what is neither capsule nor ball is shown by a
  /// capsule along its longest side.
  std::vector<Solid> solids(std::span<const double> state);

  /// Readies the model for edits that move the inertial frames of these bodies: the flags by which
  /// MuJoCo saves work on them are cleared, or the edits would do nothing.
  void generalize(std::span<const int> bodies);
  /// Changes the model, has MuJoCo derive its constants anew, and returns the result as a patch.
  /// The change may touch body_pos, body_ipos, body_iquat, body_mass, body_inertia, geom_pos,
  /// geom_size and geom_rbound.
  Patch edit(const std::function<void(mjModel&)>& change);
  /// Has MuJoCo derive the model's constants anew; inertia that is singular is bad_input.
  void set_constants();
  void apply(const Patch& patch);

 private:
  struct Delete {
    void operator()(mjModel* m) const { mj_deleteModel(m); }
    void operator()(mjData* d) const { mj_deleteData(d); }
  };

  bool went_bad();
  void put(std::span<const double> state, std::span<const float> controls);

  std::string name_;
  std::shared_ptr<const std::vector<MjcfFile>> files_;
  std::unique_ptr<mjModel, Delete> model_;
  std::unique_ptr<mjData, Delete> data_;
};

}  // namespace bpo
