// Reads what is measured of a robot: [reward] and [terminate] of a robot file.
#pragma once

#include "bpo/core/toml_reader.h"
#include "bpo/problems/mujoco/quantities.h"

namespace bpo {

class MeasureReader : public TomlReader {
 protected:
  using TomlReader::TomlReader;

  std::vector<RewardTerm> rewards(const mjModel& model, const toml::table& table) const;
  std::vector<Termination> terminations(const mjModel& model, const toml::table& table) const;
  /// The object's number; a name that is not there is refused with those that are.
  int id_of(const mjModel& model, int type, const toml::node& node, const char* what) const;

 private:
  Measure measure(const mjModel& model, const toml::table& table, const std::string& name,
                  std::vector<std::string> keys) const;
  /// The place of the one number of a hinge or slide among positions, or among velocities.
  int joint_number(const mjModel& model, const toml::node& joint, bool velocity) const;
  void read_pose(const mjModel& model, const toml::table& table, Measure& out) const;
};

/// All names of a type of objects in a model.
std::vector<std::string> names_of(const mjModel& model, int type);
inline const std::vector<std::string> kAxes{"x", "y", "z"};

}  // namespace bpo
