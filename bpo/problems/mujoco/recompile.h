// An edit compared with a model compiled from an edited text: the check on a user's own model of
// what the tests check on models of their own. The text is edited by another way than the compiled
// model: attributes of the named elements, and <inertial> in bodies.
#pragma once

#include <string>

#include "bpo/problems/mujoco/robot_file.h"

namespace bpo {

struct Recompiled {
  std::string why_not;         // not compared, because ...
  std::string field = "none";  // the one that differs most
  double difference = 0.0;     // relative to the field's largest number
};

/// The latent at this value, and nothing else edited.
Recompiled compare_recompiled(const RobotFile& file, std::size_t latent, double value);

}  // namespace bpo
