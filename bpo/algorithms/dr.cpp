// Domain randomisation: a policy on the state alone, trained on all trajectories from the prior. It
// is BPO without a belief, so what it lacks to BPO is what the belief is worth.
#include "bpo/algorithms/train.h"

namespace bpo {
namespace {

const RegisterAlgorithm kDr{{"dr",
                             "domain randomisation: policy on the state alone, all trajectories",
                             {.sees = Sees::kNothing, .encoders = false}}};

}  // namespace
}  // namespace bpo
