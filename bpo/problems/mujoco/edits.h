// What may be unknown of a robot, and what it changes of the compiled model: a table with one row
// per kind of edit. Every edit is of the compiled default and is followed by what MuJoCo's compiler
// would derive from the changed fields: mj_setConst for inertias seen by joints and bodies, tendon
// lengths and connections; spring lengths of tendons and relative poses of welds where the compiler
// found them (and not the modeller); frictions of explicit pairs that were combined from those of
// their geoms. Flags by which MuJoCo saves work (a frame that is its body's, a diagonal inertia)
// are cleared once for bodies whose inertial frame an edit moves, or the edit would do nothing.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bpo/problems/mujoco/sim.h"

namespace bpo {

/// What may be edited, in the order in which several edits of one model are made.
enum class EditKind {
  kLength,
  kDensity,
  kMass,
  kCom,
  kPayload,
  kFriction,
  kDamping,
  kDryFriction,
  kStiffness,
  kArmature,
  kStrength,
  kKp,
  kKd,
  kForceLimit,
  kGravity,
  kWind,
  kJointZero,
  kDelay,
  kEncoderBias  // the problem's affair: the model stays as it is
};
enum class EditOp { kScale, kAdd, kSet };

/// What an edit is of; the type is MuJoCo's (mjOBJ_BODY, ...).
struct EditTarget {
  int type = 0, id = 0;
  std::string name;
};

struct Edit {
  EditKind kind = EditKind::kMass;
  EditOp op = EditOp::kScale;
  std::vector<EditTarget> targets;
  std::optional<int> axis;     // 0, 1 or 2, for com, gravity and wind
  std::array<double, 3> at{};  // where a payload is, in its body's frame
};

struct EditRow {
  EditKind kind;
  const char* name;
  std::vector<int> of;      // types of what it can be of; none: of the whole world
  std::vector<EditOp> ops;  // the first is the one meant if none is said
  unsigned groups;          // the fields of the model that it touches
  bool takes_axis, needs_axis;
  const char* summary;
  double (*get)(const mjModel&, const EditTarget&, const Edit&);
  void (*set)(mjModel&, const EditTarget&, const Edit&, double);

  bool of_model() const { return set != nullptr; }
};

std::span<const EditRow> edit_table();
const EditRow& edit_row(EditKind kind);
const char* op_name(EditOp op);
double changed(EditOp op, double nominal, double value);

/// The objects of these names, or whose whole names match "re:PATTERN". A body's name stands for
/// all its geoms where geoms are meant. A name without match is bad_input.
std::vector<EditTarget> find_targets(const mjModel& model, const EditRow& row,
                                     const std::vector<std::string>& names);

/// What the edit is of has this value in the compiled model.
double nominal_value(const mjModel& model, const Edit& edit, const EditTarget& target);

/// The edits of one model. The Sim that is passed is always one made from the same model.
class ModelEdits {
 public:
  /// Refuses edits that cannot do anything, and clears flags of the model.
  ModelEdits(Sim& sim, std::vector<Edit> edits);

  /// The model with these values, one for each edit, as a patch; the Sim is left with it. Values
  /// that make no valid model are bad_input.
  void patch(Sim& sim, std::span<const double> values, Patch& out) const;
  Patch patch(Sim& sim, std::span<const double> values) const {
    Patch out;
    patch(sim, values, out);
    return out;
  }
  void apply(Sim& sim, const Patch& patch) const;
  /// The patch of the compiled model.
  const Patch& compiled() const { return compiled_; }

 private:
  void find_derived(Sim& sim);
  void derive(Sim& sim) const;
  void refresh_pairs(mjModel& model, const Edit& edit, double value) const;

  std::vector<Edit> edits_;
  std::vector<std::size_t> order_;  // the order in which they are made
  unsigned groups_ = 0;
  Patch compiled_;
  std::vector<int> springs_, welds_, pairs_;  // what the compiler found
  std::array<bool, 7> given_statistic_{};     // what the modeller gave
  mjStatistic statistic_{};
};

}  // namespace bpo
