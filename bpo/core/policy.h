// A policy acts on a tile. Networks, alpha vectors, trees and tables all share this, so that one
// evaluate() serves them all. The policy is const; an actor holds one thread's scratch.
#pragma once

#include <memory>
#include <span>

#include "bpo/core/policy_inputs.h"

namespace bpo {

class Actor {
 public:
  virtual ~Actor() = default;
  /// Called when new episodes begin.
  virtual void begin(const PolicyInputs& in) = 0;
  /// Chooses for every lane; a lane's choice may depend on nothing but that lane and its episode.
  virtual void act(const PolicyInputs& in, Actions& actions) = 0;
};

class Policy {
 public:
  virtual ~Policy() = default;
  virtual std::unique_ptr<Actor> make_actor() const = 0;
  /// Whether it looks at the belief or the estimate.
  virtual bool sees_belief() const { return true; }
  /// Whether it looks at the true latent, which only a simulation knows.
  virtual bool sees_latent() const { return false; }
  /// out[lane * actions + a] = pi(a | lane), for exact evaluation. Throws bad_input where the
  /// policy is not a function of these inputs (the oracle sees the latent).
  virtual void probabilities(const PolicyInputs& in, std::span<float> out) const = 0;
};

}  // namespace bpo
