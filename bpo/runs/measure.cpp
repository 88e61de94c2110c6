#include "bpo/runs/measure.h"

#include <fmt/format.h>

#include <cmath>

#include "bpo/planners/exact.h"
#include "bpo/problems/tabular/tabular_problem.h"
#include "bpo/runs/result.h"

namespace bpo {
namespace {

void measure_exactly(const InformationModel& model, const Policy& policy, Exactness exactness,
                     Log& log, ThreadPool& pool, Measurement& out) {
  const auto value = [&] {
    const Activity activity(log, "computing the policy's exact value");
    return exact_value(model, policy, pool).value;
  };
  if (exactness == Exactness::kValueOnly) {
    out.exact_value = value();
  } else if (exactness == Exactness::kValue && policy.probabilities() != nullptr) {
    out.exact_value = if_possible(value);
  }
  const Activity activity(log, "computing the exact optimum");
  if (const auto best = if_possible([&] { return exact_optimum(model, pool); })) {
    out.optimum = best->optimum;
    out.bayes_policy = best->bayes_policy;
  }
}

/// See Measurement::cut_weight.
std::optional<double> cut_weight(const AnyProblem& problem) {
  const ProblemSpec& spec = problem.spec();
  const double weight = std::pow(spec.discount, spec.horizon);
  if (weight <= TabularOptions::kNothing * (1.0 + 1e-9)) return std::nullopt;
  const auto tables = problem.tabular();
  return tables != nullptr && tables->horizon == 0 ? std::optional(weight) : std::nullopt;
}

}  // namespace

void take(const Evaluation& evaluation, Measurement& out) {
  out.returns = evaluation.returns;
  out.episodes = static_cast<std::int64_t>(out.returns.size());
  out.mean = evaluation.mean();
  out.ci95 = evaluation.ci95();
  out.faults = static_cast<std::int64_t>(evaluation.faults.size());
  if (out.faults > 0) out.about_faults = "; " + describe(evaluation.faults, evaluation.steps);
}

Measurement measure(const RunIdentity& run, const AnyProblem& problem, const Policy& policy,
                    const Protocol& protocol, Log& log, ThreadPool& pool) {
  Measurement out;
  out.run = run;
  out.machine = this_machine();
  out.threads = pool.threads();
  out.eval_seed = protocol.seed;
  out.greedy = protocol.greedy;
  out.sets = protocol.sets;
  out.cut_weight = cut_weight(problem);
  const InformationModel* model = problem.information();
  const bool only = protocol.exactness == Exactness::kValueOnly;
  if (only && model == nullptr) {
    throw bad_input(fmt::format(
        "exact evaluation: '{}' has no finite information state; evaluate by simulation "
        "(without --exact)",
        run.problem));
  }
  if (model != nullptr && protocol.exactness != Exactness::kNothing) {
    measure_exactly(*model, policy, protocol.exactness, log, pool, out);
  }
  if (only) {
    out.exact = true;
    out.mean = *out.exact_value;
    out.ci95 = 0.0;
    return out;
  }
  const std::int64_t episodes = protocol.episodes_or_usual(problem.spec());
  const Activity activity(log, fmt::format("simulating {} episodes", episodes));
  take(evaluate(problem, policy, protocol.episode_seed(), episodes, pool), out);
  return out;
}

Measurement measure(const LoadedPolicy& loaded, const Protocol& protocol, Log& log,
                    ThreadPool& pool) {
  Measurement out = measure(loaded.run, *loaded.problem, *loaded.policy, protocol, log, pool);
  out.greedy = loaded.greedy;
  out.policy = policy_hash(loaded.directory);
  if (protocol.sets.empty()) out.bounds = last_bounds(loaded.directory);
  out.diverged = divergence(loaded.directory);
  if (const auto stored = stored_result(loaded.directory)) out.training = stored->training;
  return out;
}

}  // namespace bpo
