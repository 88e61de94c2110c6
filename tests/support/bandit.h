// A batch like a bandit's, on which an optimiser can be tried: in every state one action is better.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "bpo/core/parallel.h"
#include "bpo/nn/network.h"
#include "bpo/optimizers/network_model.h"
#include "tests/support/batches.h"

namespace bpo::test {

/// The parameter: whether actions are in a box.
class Bandit : public testing::TestWithParam<bool> {
 protected:
  bool gaussian_ = GetParam();
  NetworkSpec spec_{.state_dim = 2,
                    .belief_dim = 3,
                    .outputs = gaussian_ ? 2 : 3,
                    .hidden = 16,
                    .gaussian = gaussian_};
  NetworkModel model_{std::make_shared<const Network>(spec_), Sees::kBelief};
  const Network& network_ = model_.network();
  ThreadPool pool_{1};
  Batch batch_ = random_batch(spec_, 100, 1);
  std::vector<float> start_ = network_.initialize(2);

  /// Action 1 is good; in a box, a large first coordinate.
  std::vector<double> bandit() const {
    std::vector<double> out(batch_.steps());
    for (int i = 0; i < batch_.steps(); ++i) {
      out[i] = gaussian_ ? batch_.box[2 * i] : (batch_.action[i] == 1 ? 1.0 : -0.5);
    }
    return out;
  }
  RatedBatch rated(std::vector<double> advantages) const {
    return {batch_, std::move(advantages), {}};
  }
};

}  // namespace bpo::test
