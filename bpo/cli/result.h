// What a run achieved: the content of result.json, which is also what `bpo eval --json` prints.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bpo/algorithms/checkpoint.h"
#include "bpo/core/machine.h"

namespace bpo::cli {

using Json = nlohmann::ordered_json;

inline Json number_or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}

/// How the policy came about.
struct Training {
  std::int64_t iterations = 0, steps = 0, best_iteration = 0;
  double seconds = 0.0;
};

struct Result {
  RunIdentity run;
  Machine machine;
  int threads = 1;
  std::optional<Training> training;
  std::vector<std::string> set;         // changes to the world it was trained in
  std::string policy;                   // policy_hash() of what was measured
  std::optional<std::string> diverged;  // why training broke off
  std::int64_t eval_seed = 0;
  bool greedy = false;

  /// Mean return, and the half width of its 95 % interval, which one episode does not have; 0 and
  /// no episodes when it is exact.
  double mean = 0.0;
  std::optional<double> ci95;
  std::int64_t episodes = 0, faults = 0;
  std::string about_faults;  // where the first of them was; not stored
  bool exact = false;
  std::optional<double> exact_value, optimum, bayes_policy;

  /// The exact value where it is known, the mean otherwise.
  double best_estimate() const { return exact_value.value_or(mean); }
  /// What is missing to the optimum.
  std::optional<double> gap() const;

  /// Ends in a checksum of all the rest.
  Json json() const;
  /// For people, a few lines.
  std::string text() const;
};

inline constexpr const char* kResultName = "result.json";

/// The result in the text of a result.json; anything else, and one that was edited, is bad_input
/// that names the file.
Result parse_result(std::string_view text, const std::string& name);

/// What went wrong in a simulation, to be shown beside its mean; empty if nothing did.
std::string fault_notice(const std::string& where, std::int64_t faults, std::int64_t episodes);

}  // namespace bpo::cli
