#include "bpo/runs/measurement.h"

#include <fmt/format.h>

#include <utility>

#include "bpo/core/parse_json.h"
#include "bpo/runs/json_seal.h"

namespace bpo {
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

Measurement from_json(const Json& json) {
  Measurement out;
  out.run = {json.at("problem"), json.at("algorithm"), whole<std::int64_t>(json, "seed"),
             json.at("settings")};
  out.policy = json.at("policy");
  if (!json.at("diverged").is_null()) out.diverged = json.at("diverged").get<std::string>();
  out.mean = json.at("mean");
  out.ci95 = optional_number(json, "ci95");
  out.episodes = whole<std::int64_t>(json, "episodes");
  out.faults = whole<std::int64_t>(json, "faults");
  out.exact = json.at("exact");
  out.exact_value = optional_number(json, "exact_value");
  out.optimum = optional_number(json, "optimum");
  out.bayes_policy = optional_number(json, "bayes_policy");
  const auto lower = optional_number(json, "lower"), upper = optional_number(json, "upper");
  if (lower || upper) {
    const Bounds unknown;
    out.bounds = Bounds{lower.value_or(unknown.lower), upper.value_or(unknown.upper)};
  }
  out.cut_weight = optional_number(json, "cut_weight");
  out.eval_seed = whole<std::int64_t>(json, "eval_seed");
  out.greedy = json.at("greedy");
  out.sets = json.at("set").get<std::vector<std::string>>();
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
  out.machine.flags = json.at("flags");
  out.machine.mujoco = json.value("mujoco", "");
  return out;
}

}  // namespace

std::optional<double> Measurement::gap() const {
  return optimum ? std::optional(*optimum - value()) : std::nullopt;
}

Json Measurement::json() const {
  Json out{{"problem", run.problem}, {"algorithm", run.algorithm}, {"seed", run.seed}};
  out["mean"] = mean;
  out["ci95"] = number_or_null(ci95);
  out["episodes"] = episodes;
  out["faults"] = faults;
  out["exact"] = exact;
  out["exact_value"] = number_or_null(exact_value);
  out["optimum"] = number_or_null(optimum);
  out["bayes_policy"] = number_or_null(bayes_policy);
  out["gap"] = number_or_null(gap());
  out["lower"] = bounds ? number_or_null(bounds->lower) : Json();
  out["upper"] = bounds ? number_or_null(bounds->upper) : Json();
  out["cut_weight"] = number_or_null(cut_weight);
  out["eval_seed"] = eval_seed;
  out["greedy"] = greedy;
  out["set"] = sets;
  out["iterations"] = training ? Json(training->iterations) : Json();
  out["steps"] = training ? Json(training->steps) : Json();
  out["train_seconds"] = training ? Json(training->seconds) : Json();
  out["best_iteration"] = training ? Json(training->best_iteration) : Json();
  out["diverged"] = diverged ? Json(*diverged) : Json();
  out["settings"] = run.settings;
  out["policy"] = policy;
  out["commit"] = machine.commit;
  out["machine"] = {{"cpu", machine.cpu}, {"cores", machine.cores}, {"threads", threads}};
  out["instruction_set"] = machine.instruction_set;
  out["compiler"] = machine.compiler;
  out["flags"] = machine.flags;
  if (!machine.mujoco.empty()) out["mujoco"] = machine.mujoco;
  seal(out);
  return out;
}

Measurement parse_result(std::string_view text, const std::string& name) {
  try {
    const Json json = parse_json(text);
    Measurement result = from_json(json);
    if (is_sealed(json)) return result;
    throw bad_input(name + ": damaged or edited: it does not match its checksum");
  } catch (const Json::exception& error) {
    throw bad_input(fmt::format("{}: not a result ({})", name, error.what()));
  }
}

}  // namespace bpo
