// Bayesian Policy Optimization (Algorithm 1): the policy sees state and belief, each through its
// own encoder.
#include "bpo/algorithms/train.h"

namespace bpo {
namespace {

const RegisterAlgorithm kBpo{{"bpo",
                              "Bayesian Policy Optimization: state and belief, two encoders",
                              {.sees = Sees::kBelief}}};

}  // namespace
}  // namespace bpo
