// policy.safetensors: a policy that says by itself what it is. Besides the weights it has the
// settings of its training in full (problem, filter and network with all their options), the
// meaning of every number that goes in and comes out, a format version and a checksum. It is opened
// without any other file, and refused where it would mean something else.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bpo/nn/kept_policy.h"
#include "bpo/nn/seal.h"

namespace bpo {

/// `toml`: the settings of its run, resolved.
TensorFile bundle_of(const KeptPolicy& policy, const AnyProblem& problem, const std::string& toml,
                     const RunIdentity& run);

/// A policy and the problem it is put into.
struct LoadedPolicy {
  std::string directory;  // its run's; empty if the policy stands alone
  RunIdentity run;
  std::unique_ptr<AnyProblem> problem;   // the policy's own, with what the caller changed
  std::shared_ptr<const Policy> policy;  // may refer to the problem
  bool greedy = false;
  std::string toml;  // all its settings, with the changes
};

/// The policy in `path`, on its problem with `changes` (problem.*). A change by which the policy
/// would see or do something else than in its training is refused by name; so is a policy that does
/// not belong to `owner`, if that is given.
LoadedPolicy open_bundle(const std::string& path, const Config& changes = {}, bool greedy = false,
                         const RunIdentity* owner = nullptr);

/// Which of the `resolved` options the settings do not name. An earlier version wrote them, and
/// what this one would put there need not be what was meant.
std::vector<std::string> unsaid(const Config& settings, const std::string& resolved);

}  // namespace bpo
