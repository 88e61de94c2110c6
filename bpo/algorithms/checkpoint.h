// A training state as named tensors: all that a training needs to go on to the same bits.
#pragma once

#include <cstdint>
#include <string>

#include "bpo/algorithms/train.h"
#include "bpo/nn/seal.h"

namespace bpo {

struct Checkpoint {
  TrainState state;
  std::uint64_t metrics_bytes = 0;  // how long metrics.jsonl was then
  double seconds = 0.0;             // spent in training so far
};

TensorFile checkpoint_tensors(const Checkpoint& checkpoint, const RunIdentity& run);
/// Reads and checks; `trainer` says which parts and sizes there must be.
Checkpoint load_checkpoint(const std::string& path, const RunIdentity& run, const Trainer& trainer);

}  // namespace bpo
