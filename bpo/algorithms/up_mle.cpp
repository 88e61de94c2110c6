// UP-MLE (Sec. 5; after UP-OSI, Yu et al. 2017): a universal policy on the state and the filter's
// maximum-likelihood latent.
#include "bpo/algorithms/train.h"

namespace bpo {
namespace {

const RegisterAlgorithm kUpMle{{"up-mle",
                                "universal policy on the state and the most likely latent",
                                {.sees = Sees::kEstimate, .encoders = false}}};

}  // namespace
}  // namespace bpo
