// Steps in which a simulation broke down: each ended its episode. A few are worth a warning; where
// they are many, returns say nothing, in training as in a measurement.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace bpo {

/// Where a simulation broke down, to look at it again.
struct Fault {
  std::uint64_t episode = 0;
  int step = 0;
  std::vector<float> latent;

  void visit(auto& wire) {
    wire(episode);
    wire(step);
    wire(latent);
  }
};

/// "the simulation broke down in 3 of 400 steps; the first: episode 7, step 2, latent (0.1, 0.2)".
std::string describe(std::span<const Fault> faults, std::int64_t steps);

/// Throws Error(kDiverged) when they are more than a fifth of the steps; `hint` says what to do.
void check_faults(std::span<const Fault> faults, std::int64_t steps, const std::string& hint);

}  // namespace bpo
