// The oracle sees the true latent in the belief's place: an upper reference that no agent can
// reach.
#include "bpo/algorithms/train.h"

namespace bpo {
namespace {

const RegisterAlgorithm kOracle{
    {"oracle", "sees the true latent (upper reference)", {.sees = Sees::kLatent}}};

}  // namespace
}  // namespace bpo
