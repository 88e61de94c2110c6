// EPOpt (Rajeswaran et al. 2017): a policy on the state alone, trained on the worst share of the
// trajectories.
#include "bpo/algorithms/train.h"

namespace bpo {
namespace {

const RegisterAlgorithm kEpopt{
    {"epopt",
     "robust policy on the state alone, trained on the worst trajectories",
     {.sees = Sees::kNothing, .encoders = false, .worst_share = true}}};

}  // namespace
}  // namespace bpo
