// BPO-: state and belief go straight into one plain network (Sec. 5).
#include "bpo/algorithms/train.h"

namespace bpo {
namespace {

const RegisterAlgorithm kBpoMinus{{"bpo-minus",
                                   "BPO without encoders: state and belief joined",
                                   {.sees = Sees::kBelief, .encoders = false}}};

}  // namespace
}  // namespace bpo
