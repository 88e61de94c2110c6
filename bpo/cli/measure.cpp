#include "bpo/cli/measure.h"

#include <fmt/format.h>

#include "bpo/cli/progress.h"
#include "bpo/core/simulate.h"
#include "bpo/planners/exact.h"

namespace bpo::cli {
namespace {

/// The call's value; nothing where the library refuses it as too large or not a function of
/// beliefs.
template <class Call>
auto if_possible(Call call) -> std::optional<decltype(call())> {
  try {
    return call();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kBadInput) throw;
    return std::nullopt;
  }
}

void measure_exactly(const InformationModel& model, const Policy& policy, const Measurement& how,
                     ThreadPool& pool, Result& result) {
  const auto value = [&] {
    const Waiting waiting("computing the policy's exact value", how.quiet);
    return exact_value(model, policy, pool).value;
  };
  if (how.exactness == Exactness::kExact) {
    result.exact_value = value();
  } else if (how.exactness == Exactness::kSampleAndExact) {
    result.exact_value = if_possible(value);
  }
  const Waiting waiting("computing the exact optimum", how.quiet);
  if (const auto best = if_possible([&] { return exact_optimum(model, pool); })) {
    result.optimum = best->optimum;
    result.bayes_policy = best->bayes_policy;
  }
}

}  // namespace

Result measure(const RunIdentity& run, const AnyProblem& problem, const Policy& policy,
               const Measurement& how, ThreadPool& pool) {
  Result result;
  result.run = run;
  result.machine = this_machine();
  result.threads = pool.threads();
  result.eval_seed = how.seed;
  result.greedy = how.greedy;
  const InformationModel* model = problem.information();
  if (how.exactness == Exactness::kExact && model == nullptr) {
    throw bad_input(fmt::format(
        "exact evaluation: '{}' has no finite information state; evaluate by simulation "
        "(without --exact)",
        run.problem));
  }
  if (model != nullptr) measure_exactly(*model, policy, how, pool, result);
  if (how.exactness == Exactness::kExact) {
    result.exact = true;
    result.mean = *result.exact_value;
    result.ci95 = 0.0;
    return result;
  }
  result.episodes = episodes_or_usual(how.episodes, problem.spec());
  const Waiting waiting(fmt::format("simulating {} episodes", result.episodes), how.quiet);
  const Evaluation evaluation = evaluate(
      problem, policy, derive_seed(static_cast<std::uint64_t>(how.seed), kEvaluationPurpose),
      result.episodes, pool);
  result.mean = evaluation.mean();
  result.ci95 = evaluation.ci95();
  result.faults = static_cast<std::int64_t>(evaluation.faults.size());
  if (result.faults > 0) result.about_faults = "; " + describe(evaluation.faults, evaluation.steps);
  return result;
}

std::optional<Result> stored_result(const std::string& directory) {
  constexpr std::size_t kMaxBytes = std::size_t{1} << 28, kMostSensible = 1 << 16;
  const std::string path = directory + "/" + kResultName;
  if (!exists(path)) return std::nullopt;
  const std::string text = read_file(path, kMaxBytes);
  if (text.size() > kMostSensible) return std::nullopt;
  const auto result = if_possible([&] { return parse_result(text, path); });
  if (!result) return std::nullopt;
  const bool fits = result->run.settings == load_config(directory).hash() &&
                    result->policy == policy_hash(directory);
  return fits ? result : std::nullopt;
}

Result exact_numbers(const std::string& directory, const AnyProblem& problem, const Policy& policy,
                     ThreadPool& pool) {
  if (auto stored = stored_result(directory)) return *stored;
  const Measurement one{.episodes = 1, .exactness = Exactness::kSampleAndExact, .quiet = true};
  return measure({}, problem, policy, one, pool);
}

}  // namespace bpo::cli
