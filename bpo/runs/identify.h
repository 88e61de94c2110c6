// What a recorded log says of a robot's latents: its filter, whichever it is, run over the log.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bpo/core/recording.h"

namespace bpo {

/// What is known of one latent.
struct Posterior {
  double mean = 0.0, sd = 0.0, low = 0.0, high = 0.0;  // a 90 % interval
};

struct IdentifiedLatent {
  std::string name;
  std::optional<double> nominal;  // none where one value is set for several things that differ
  Posterior prior;
  std::vector<Posterior> steps;  // [row]: after so many steps
  std::vector<std::string> confounded;

  const Posterior& last() const { return steps.back(); }
  /// Whether the log made the spread clearly smaller than the prior's.
  bool identifiable() const { return last().sd < 0.7 * prior.sd; }
};

struct Identification {
  std::string problem;
  double seconds = 0.0;
  int rows = 0;
  int lost = 0;  // steps that no model explains; the belief then fell back to the prior
  std::vector<IdentifiedLatent> latents;
  Misses nominal, found;  // of the model as compiled, and at the posterior's means
  std::vector<std::string> unused;
};

/// `problem`: a file, or what a run keeps of one; `sets`: options of the problem, KEY=VALUE.
Identification identify(const std::string& problem, const std::string& log,
                        const std::vector<std::string>& sets = {});

}  // namespace bpo
