#include "bpo/cli/result.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "bpo/cli/progress.h"
#include "bpo/core/simulate.h"
#include "bpo/planners/exact.h"

namespace bpo::cli {
namespace {

std::optional<double> optional_number(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || found->is_null()) return std::nullopt;
  return found->get<double>();
}

/// A whole number that fits its type; the JSON library itself would cut 1e300 to an int, which is
/// undefined.
template <class Integer>
Integer whole(const Json& json, const char* key) {
  const Json& value = json.at(key);
  const bool fits =
      value.is_number_unsigned()
          ? std::in_range<Integer>(value.get<std::uint64_t>())
          : value.is_number_integer() && std::in_range<Integer>(value.get<std::int64_t>());
  if (!fits) {
    throw Json::type_error::create(302, fmt::format("{} must be a whole number", key), &value);
  }
  return value.get<Integer>();
}

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

std::optional<double> Result::gap() const {
  return optimum ? std::optional(*optimum - best_estimate()) : std::nullopt;
}

Json Result::json() const {
  Json out{{"problem", run.problem}, {"algorithm", run.algorithm}, {"seed", run.seed}};
  out["mean"] = mean;
  out["ci95"] = ci95;
  out["episodes"] = episodes;
  out["exact"] = exact;
  out["exact_value"] = number_or_null(exact_value);
  out["optimum"] = number_or_null(optimum);
  out["bayes_policy"] = number_or_null(bayes_policy);
  out["gap"] = number_or_null(gap());
  out["eval_seed"] = eval_seed;
  out["greedy"] = greedy;
  out["set"] = set;
  out["iterations"] = training ? Json(training->iterations) : Json();
  out["steps"] = training ? Json(training->steps) : Json();
  out["train_seconds"] = training ? Json(training->seconds) : Json();
  out["best_iteration"] = training ? Json(training->best_iteration) : Json();
  out["commit"] = machine.commit;
  out["machine"] = {{"cpu", machine.cpu}, {"cores", machine.cores}, {"threads", threads}};
  out["instruction_set"] = machine.instruction_set;
  out["compiler"] = machine.compiler;
  return out;
}

Result Result::from_json(const Json& json) {
  Result out;
  out.run = {json.at("problem"), json.at("algorithm"), whole<std::int64_t>(json, "seed")};
  out.mean = json.at("mean");
  out.ci95 = json.at("ci95");
  out.episodes = whole<std::int64_t>(json, "episodes");
  out.exact = json.at("exact");
  out.exact_value = optional_number(json, "exact_value");
  out.optimum = optional_number(json, "optimum");
  out.bayes_policy = optional_number(json, "bayes_policy");
  out.eval_seed = whole<std::int64_t>(json, "eval_seed");
  out.greedy = json.at("greedy");
  out.set = json.at("set").get<std::vector<std::string>>();
  if (!json.at("iterations").is_null()) {
    out.training = {whole<std::int64_t>(json, "iterations"), whole<std::int64_t>(json, "steps"),
                    whole<std::int64_t>(json, "best_iteration"), json.at("train_seconds")};
  }
  const Json& machine = json.at("machine");
  out.machine.cpu = machine.at("cpu");
  out.machine.cores = whole<int>(machine, "cores");
  out.threads = whole<int>(machine, "threads");
  out.machine.commit = json.at("commit");
  out.machine.instruction_set = json.at("instruction_set");
  out.machine.compiler = json.at("compiler");
  return out;
}

std::string Result::text() const {
  std::string out = fmt::format("{} {} seed {}", run.problem, run.algorithm, run.seed);
  if (training) {
    out += fmt::format(": {} iterations, {} steps, {:.1f} s, best at iteration {}",
                       training->iterations, short_count(static_cast<double>(training->steps)),
                       training->seconds, training->best_iteration);
  }
  out += '\n';
  if (!set.empty()) out += fmt::format("world      {}\n", fmt::join(set, " "));
  if (!exact) {
    out += fmt::format("mean       {:.4f} +- {:.4f} (95 %, {} episodes, seed {}{})\n", mean, ci95,
                       episodes, eval_seed, greedy ? ", greedy" : "");
  }
  if (exact_value) {
    out += fmt::format("exact      {:.4f}{}\n", *exact_value, greedy ? " (greedy)" : "");
  }
  if (optimum) {
    out += fmt::format("optimum    {:.4f}\n", *optimum);
    // They differ where the world's latent is fixed: the optimum then belongs to one who knows it.
    if (bayes_policy && *bayes_policy != *optimum) {
      out += fmt::format("Bayes      {:.4f} (the optimal policy for the prior, in this world)\n",
                         *bayes_policy);
    }
    out += fmt::format("gap        {:.4f}\n", *gap());
  }
  return out;
}

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
    return result;
  }
  result.episodes = episodes_or_usual(how.episodes, problem.spec());
  const Waiting waiting(fmt::format("simulating {} episodes", result.episodes), how.quiet);
  const Evaluation evaluation = evaluate(
      problem, policy, derive_seed(static_cast<std::uint64_t>(how.seed), kEvaluationPurpose),
      result.episodes, pool);
  result.mean = evaluation.mean();
  result.ci95 = evaluation.ci95();
  return result;
}

std::string result_path(const std::string& directory) { return directory + "/result.json"; }

bool has_result(const std::string& directory) {
  std::error_code ignored;
  return std::filesystem::exists(result_path(directory), ignored);
}

Result parse_result(std::string_view text, const std::string& name) {
  try {
    return Result::from_json(Json::parse(text));
  } catch (const Json::exception& error) {
    throw bad_input(fmt::format("{}: not a result ({})", name, error.what()));
  }
}

Result load_result(const std::string& directory) {
  constexpr std::size_t kMaxBytes = 1 << 20;
  const std::string path = result_path(directory);
  return parse_result(read_file(path, kMaxBytes), path);
}

}  // namespace bpo::cli
