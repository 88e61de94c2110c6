// Value functions for the advantages. Both see what the policy sees, and the time. They are fitted
// after the advantages are taken, so a batch is judged by the value function of the one before.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bpo/core/batch.h"
#include "bpo/optimizers/optimizer.h"

namespace bpo {

class Baseline {
 public:
  virtual ~Baseline() = default;
  /// The batch that predict() and fit() are about.
  virtual void bind(const Batch& batch) = 0;
  /// The predicted value of every step of the batch; 0 before the first fit.
  virtual std::vector<double> predict() = 0;
  virtual void fit(const std::vector<double>& targets) = 0;
  virtual void save(SavedNumbers& state) const = 0;
  virtual void load(const SavedNumbers& state) = 0;
};

/// rllab's: clip(x,-10,10), its square, (t/100)^{1,2,3} and 1; ridge 1e-5.
std::unique_ptr<Baseline> make_linear_baseline(int dim);

/// What a model is told about the value function it makes.
struct BaselineOptions {
  int horizon = 0;
  std::uint64_t seed = 0;
  bool whiten = false;       // whether its first batch's inputs get mean 0 and variance 1
  float init_hidden = 1.0f;  // scale of its first weights but the head's
  double damping = 1e-3;     // what a Gauss-Newton step of the fit is damped by
  double subsample = 1.0;    // share of the inputs that the step's curvature is taken from
  int latent_dim = 0;        // 0: it sees no more than the policy
  int steps = 1;             // Gauss-Newton steps of a fit
};

}  // namespace bpo
