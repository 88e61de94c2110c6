// Units of the numbers that a robot's policy sees and of its latents, as far as a model says them:
// MuJoCo has SI units, and a joint's are those of a length or of an angle. A pure number's is "1".
#pragma once

#include <string>
#include <vector>

#include "bpo/problems/mujoco/edits.h"

namespace bpo {

/// Of a state's numbers, then of the controls sent in so many steps before, then of all sensors'
/// readings: what SeenNumber::source counts.
std::vector<std::string> number_units(const Sim& sim, int history);

/// Of the value that an edit takes.
std::string edit_unit(const mjModel& model, const Edit& edit);

}  // namespace bpo
