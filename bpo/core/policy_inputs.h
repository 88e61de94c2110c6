// What a policy may see of a tile, whoever fills it in: a world that is simulated, or an agent that
// is told what happens somewhere else.
#pragma once

#include <array>
#include <cstdint>

#include "bpo/core/problem.h"
#include "bpo/core/tile.h"

namespace bpo {

/// Consecutive episodes, one per lane. Equal seeds and numbers give equal latents and noise.
struct Episodes {
  std::uint64_t seed = 0;
  std::uint64_t first = 0;
  int count = 0;
};

struct PolicyInputs {
  Episodes episodes;
  int time = 0;                     // steps since the episodes began
  Tile obs, belief, estimate;       // as the problem and its filter write them
  Tile latent;                      // the truth, which only an oracle looks at
  std::array<bool, kLanes> done{};  // lanes that need no action any more

  explicit PolicyInputs(const ProblemSpec& spec)
      : obs(spec.obs_dim),
        belief(spec.belief_dim),
        estimate(spec.estimate_dim),
        latent(spec.latent_dim) {}
};

}  // namespace bpo
