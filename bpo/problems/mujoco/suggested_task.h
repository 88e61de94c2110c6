// A task to start from, for a robot of which nothing is known but its MJCF: what floats goes
// forward and stays up, what falls over from where it starts is kept there, and what stands by
// itself brings its end to a place.
#pragma once

#include <string>

#include "bpo/problems/mujoco/sim.h"

namespace bpo {

struct SuggestedTask {
  std::string reward, terminate;  // lines of the tables
  bool falls_at_once = false;     // so that first batches show little of the world
};

/// `start`: qpos, qvel and act where an episode begins; `trunk`: the body that carries most, or -1.
SuggestedTask suggested_task(Sim& sim, const std::vector<double>& start, int trunk);

/// Whether the model's first joints leave this body free in space or in a plane.
bool floats(const mjModel& model, int trunk);

/// The name of an object of the model; empty where it has none.
std::string named(const mjModel& model, int type, int id);
std::string toml_quoted(const std::string& text);

}  // namespace bpo
