// What a run achieved: the content of result.json, which is also what `bpo eval --json` prints.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bpo/algorithms/run.h"
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
  std::vector<std::string> set;  // changes to the world it was trained in
  std::int64_t eval_seed = 0;
  bool greedy = false;

  /// Mean return, and the half width of its 95 % interval; 0 and no episodes when it is exact.
  double mean = 0.0, ci95 = 0.0;
  std::int64_t episodes = 0;
  bool exact = false;
  std::optional<double> exact_value, optimum, bayes_policy;

  /// The exact value where it is known, the mean otherwise.
  double best_estimate() const { return exact_value.value_or(mean); }
  /// What is missing to the optimum.
  std::optional<double> gap() const;

  Json json() const;
  static Result from_json(const Json& json);
  /// For people, a few lines.
  std::string text() const;
};

/// If 0, enough for the third digit, or the paper's number of latents where beliefs are simulated.
inline std::int64_t episodes_or_usual(std::int64_t episodes, const ProblemSpec& spec) {
  if (episodes > 0) return episodes;
  return spec.simulated ? 500 : 10000;
}

enum class Exactness { kSample, kSampleAndExact, kExact };

struct Measurement {
  std::int64_t episodes = 0;  // 0: the problem's usual number
  /// Episodes are drawn from derive_seed(seed, 2): no training or validation sees them.
  std::int64_t seed = 0;
  Exactness exactness = Exactness::kSample;
  bool greedy = false;  // whether the policy is; for the record
  bool quiet = false;
};

inline constexpr std::uint64_t kEvaluationPurpose = 2;

/// The policy in the problem's world. Where exact numbers are not asked for but would be welcome
/// (kSampleAndExact, the optimum), a problem that is too large leaves them out.
Result measure(const RunIdentity& run, const AnyProblem& problem, const Policy& policy,
               const Measurement& how, ThreadPool& pool);

std::string result_path(const std::string& directory);
bool has_result(const std::string& directory);
/// Any text is a result or refused as bad input with `name`, its file.
Result parse_result(std::string_view text, const std::string& name);
Result load_result(const std::string& directory);

}  // namespace bpo::cli
