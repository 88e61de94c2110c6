// A policy taken apart for export: its network, and what is computed beside it as far as that is
// plain data. Policies that cannot be taken apart are refused.
#pragma once

#include <string>
#include <vector>

#include "bpo/agent/bundle.h"
#include "bpo/core/closed_form.h"
#include "bpo/nn/network_policy.h"

namespace bpo {

struct TakenApart {
  const LoadedPolicy* loaded = nullptr;
  const NetworkPolicy* policy = nullptr;
  std::vector<InputTerm> inputs;  // how the observation becomes inputs, but for the clock
  FilterForm filter;              // none where the belief comes from outside, or is not seen
  int observation_size = 0;       // numbers that are told of an observation
  bool encoded = false;           // whether those numbers are the network's own inputs

  const ProblemSpec& spec() const { return loaded->problem->spec(); }
  const NetworkSpec& network() const { return policy->network().spec(); }
  bool sees_belief() const { return policy->sees() != Sees::kNothing; }
  bool sees_estimate() const { return policy->sees() == Sees::kEstimate; }
  bool filter_inside() const { return !std::holds_alternative<std::monostate>(filter); }
  /// How many numbers stand in the belief's place, and what they are before anything is seen.
  int belief_size() const;
  std::vector<float> prior() const;
  /// What the network sees of time after t steps; the last is that of all later ones.
  std::vector<float> clock() const;
  /// How many values each number of an observation has that is an index; 0 where it is none.
  std::vector<int> index_sizes() const;
};

/// Refers to `loaded`. Throws bad_input where the policy is a planner's or sees the true latent,
/// or where its tables are too large to be written out.
TakenApart take_apart(const LoadedPolicy& loaded);

}  // namespace bpo
