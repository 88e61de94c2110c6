// Measuring a policy: on fresh episodes, and exactly where the problem allows it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bpo/algorithms/run.h"
#include "bpo/cli/result.h"

namespace bpo::cli {

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

/// The run's result.json. Nothing where there is none, where it is damaged, or where it is not
/// about the policy and the settings that are there now: it has to be measured again.
std::optional<Result> stored_result(const std::string& directory);

/// What is known exactly of a run in its own world: from its result, or computed if that says
/// nothing.
Result exact_numbers(const std::string& directory, const AnyProblem& problem, const Policy& policy,
                     ThreadPool& pool);

}  // namespace bpo::cli
