// Nominal TRPO (Sec. 5): a policy on the state alone, trained on the one world at the prior's mean.
#include "bpo/algorithms/train.h"

namespace bpo {
namespace {

const RegisterAlgorithm kTrpo{
    {"trpo",
     "policy on the state alone, trained on the nominal latent",
     {.latents = LatentSource::kNominal, .sees = Sees::kNothing, .encoders = false}}};

}  // namespace
}  // namespace bpo
