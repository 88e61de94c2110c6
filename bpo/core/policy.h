// A policy acts on a tile. Networks, alpha vectors, trees and tables all share this, so that one
// evaluate() serves them all. The policy is const; an actor holds one thread's scratch.
#pragma once

#include <memory>
#include <span>

#include "bpo/core/tile.h"
#include "bpo/core/world.h"

namespace bpo {

class Actor {
 public:
  virtual ~Actor() = default;
  /// Called when the world was reset: a new tile begins.
  virtual void begin(const World& world) = 0;
  /// Chooses for every lane; a lane's choice may depend on nothing but that lane and its episode.
  virtual void act(const World& world, Actions& actions) = 0;
};

/// The lanes of one call to probabilities(): what a policy may see of each information state.
struct PolicyInputs {
  int count = 0;
  Tile obs, belief, estimate;
  explicit PolicyInputs(const ProblemSpec& spec)
      : obs(spec.obs_dim), belief(spec.belief_dim), estimate(spec.estimate_dim) {}
};

class Policy {
 public:
  virtual ~Policy() = default;
  virtual std::unique_ptr<Actor> make_actor() const = 0;
  /// Whether it looks at the belief or the estimate.
  virtual bool sees_belief() const { return true; }
  /// out[lane * actions + a] = pi(a | lane), for exact evaluation. Throws bad_input where the
  /// policy is not a function of these inputs (the oracle sees the latent).
  virtual void probabilities(const PolicyInputs& in, std::span<float> out) const = 0;
};

}  // namespace bpo
