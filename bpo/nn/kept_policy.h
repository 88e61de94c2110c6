// A policy that a run can keep in a file: it writes itself, and the solver that made it reads it
// back (Solver::read).
#pragma once

#include "bpo/core/policy.h"

namespace bpo {

class TensorFile;

/// What stands in the belief's place: the belief (BPO), its maximum-likelihood latent (UP-MLE), the
/// true latent (oracle), or nothing (EPOpt, nominal TRPO).
enum class Sees { kBelief, kEstimate, kLatent, kNothing };

inline bool sees_belief(Sees sees) { return sees == Sees::kBelief || sees == Sees::kEstimate; }

class KeptPolicy : public Policy {
 public:
  virtual Sees sees() const = 0;
  /// Its numbers as tensors, and as metadata "network" what they are, in words by which its solver
  /// knows its own.
  virtual void save(TensorFile& file) const = 0;

  bool sees_belief() const override { return bpo::sees_belief(sees()); }
  bool sees_latent() const override { return sees() == Sees::kLatent; }
};

}  // namespace bpo
