// A policy and a training state as named tensors. Each file carries its format, the run it belongs
// to, a hash of that run's settings and a checksum of its data, so that a damaged or foreign file
// is refused rather than used.
#pragma once

#include <cstdint>
#include <string>

#include "bpo/algorithms/train.h"
#include "bpo/nn/network_policy.h"
#include "bpo/nn/safetensors.h"

namespace bpo {

/// Which run a file belongs to; the [run] table of config.toml. The algorithm may be a planner.
struct RunIdentity {
  std::string problem, algorithm = "bpo";
  std::int64_t seed = 0;
  std::string settings;  // settings_hash() of its config.toml; not an option

  void visit(OptionVisitor& v);
};

struct Checkpoint {
  TrainState state;
  std::uint64_t metrics_bytes = 0;  // of metrics.jsonl at that point
  double seconds = 0.0;             // spent in training so far
};

TensorFile checkpoint_tensors(const Checkpoint& checkpoint, const RunIdentity& run);
/// Reads and checks; `trainer` says which parts and sizes there must be.
Checkpoint load_checkpoint(const std::string& path, const RunIdentity& run, const Trainer& trainer);

TensorFile policy_tensors(const NetworkPolicy& policy, const RunIdentity& run);
NetworkPolicy load_policy(const std::string& path, const RunIdentity& run,
                          const NetworkSpec& network, Sees sees, bool greedy);

}  // namespace bpo
