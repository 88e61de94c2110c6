// The settings that tuning chose, one table by problem and method. A choice scales the problem's
// own training defaults: the batch, for as many steps in all, and the trust region.
#pragma once

#include <string>
#include <vector>

#include "bpo/algorithms/train.h"

namespace bpo {

struct Choice {
  double batch = 1.0, kl = 1.0;  // factors
  bool operator==(const Choice&) const = default;
};

/// The table's choice; factors of 1 where it has none.
Choice chosen(const std::string& problem, const std::string& method);

/// Makes the choice the default. A batch that somebody has set stays, with the problem's own number
/// of iterations.
void make_default(const Choice& choice, Config& config, TrainOptions& train,
                  OptimizerOptions& optimizer);

/// The choice as settings (KEY=VALUE) of a problem and method that were changed by `sets`, for that
/// share of the training's steps.
std::vector<std::string> settings_of(const Choice& choice, const std::string& problem,
                                     const std::string& method,
                                     const std::vector<std::string>& sets, double share = 1.0);

}  // namespace bpo
