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
  /// Drops what it keeps of earlier inputs to save work; its choices stay the same.
  virtual void forget() {}
};

/// What a policy offers whose choice among finitely many actions depends on PolicyInputs alone.
class ActionProbabilities {
 public:
  virtual ~ActionProbabilities() = default;
  /// out[lane * actions + a] = pi(a | lane).
  virtual void compute(const PolicyInputs& in, std::span<float> out) const = 0;
};

class Policy {
 public:
  virtual ~Policy() = default;
  virtual std::unique_ptr<Actor> make_actor() const = 0;
  /// Whether it looks at the belief or the estimate.
  virtual bool sees_belief() const { return true; }
  /// Whether it looks at the true latent, which only a simulation knows.
  virtual bool sees_latent() const { return false; }
  /// What exact evaluation asks for. Null where the policy has none: the oracle sees the latent, a
  /// planner remembers its plan, actions may be a continuum.
  virtual const ActionProbabilities* probabilities() const { return nullptr; }
};

}  // namespace bpo
