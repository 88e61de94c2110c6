#include "bpo/cli/measured.h"

#include <fmt/format.h>

#include <algorithm>

#include "bpo/cli/measure.h"
#include "bpo/cli/world.h"
#include "bpo/core/file.h"
#include "bpo/core/simulate.h"
#include "bpo/experiments/curves.h"

namespace bpo::cli {
namespace {

using experiments::Curves;
using experiments::Look;
using experiments::Measured;

constexpr std::size_t kMaxBytes = std::size_t{1} << 28;
constexpr std::int64_t kCurveEpisodes = 128;
const std::uint64_t kSeed = derive_seed(0, kEvaluationPurpose);  // as `bpo compare` does by default

std::string name_of(const Look& look) { return fmt::format("measured-{}.json", look.name()); }

/// The settings and the network, if there is one, make the policy.
std::string fingerprint(const std::string& run) {
  return load_config(run).hash() + policy_hash(run);
}

std::optional<double> number(const Json& json, const char* key) {
  return json.at(key).is_null() ? std::nullopt : std::optional(json.at(key).get<double>());
}

void add_exact(const std::string& run, const Look& look, const LoadedPolicy& loaded,
               ThreadPool& pool, Json& out) {
  const Measurement one{.episodes = 1, .exactness = Exactness::kSampleAndExact, .quiet = true};
  const Result result = look.sets.empty()
                            ? exact_numbers(run, *loaded.problem, *loaded.policy, pool)
                            : measure(loaded.run, *loaded.problem, *loaded.policy, one, pool);
  out["exact_value"] = number_or_null(result.exact_value);
  out["optimum"] = number_or_null(result.optimum);
  out["bayes_policy"] = number_or_null(result.bayes_policy);
}

Json measure_json(const std::string& run, const Look& look, ThreadPool& pool) {
  const LoadedPolicy loaded = load_policy(run, look.sets, false);
  Json out{{"policy", fingerprint(run)}, {"set", look.sets}, {"episodes", look.episodes}};
  if (look.exact) add_exact(run, look, loaded, pool, out);
  if (look.curves) {
    const Curves curves = experiments::curves_of(*loaded.problem, *loaded.policy, kSeed,
                                                 std::min(look.episodes, kCurveEpisodes), pool);
    out["entropy"] = curves.entropy;
    out["so_far"] = curves.so_far;
  }
  const Evaluation evaluation =
      evaluate(*loaded.problem, *loaded.policy, kSeed, look.episodes, pool);
  out["returns"] = evaluation.returns;
  out["faults"] = evaluation.faults.size();
  return out;
}

bool is_enough(const Json& json, const std::string& run, const Look& look) {
  return json.at("policy") == fingerprint(run) && json.at("set") == Json(look.sets) &&
         json.at("episodes") == look.episodes && (!look.exact || json.contains("exact_value")) &&
         (!look.curves || json.contains("entropy"));
}

}  // namespace

std::optional<Measured> recall(const std::string& run, const Look& look) {
  const std::string path = run + "/" + name_of(look);
  if (!is_run(run) || !exists(path)) return std::nullopt;
  try {
    const Json json = Json::parse(read_file(path, kMaxBytes));
    if (!is_enough(json, run, look)) return std::nullopt;
    Measured out{.returns = json.at("returns").get<std::vector<double>>(),
                 .faults = json.at("faults")};
    if (json.contains("exact_value")) {
      out.exact_value = number(json, "exact_value");
      out.optimum = number(json, "optimum");
      out.bayes_policy = number(json, "bayes_policy");
    }
    if (json.contains("entropy")) {
      out.curves = Curves{json.at("entropy"), json.at("so_far")};
    }
    return out;
  } catch (const Json::exception&) {
    return std::nullopt;  // whatever it is, it can be measured again
  }
}

void measure_and_remember(const std::string& run, const Look& look, ThreadPool& pool) {
  const std::string text = measure_json(run, look, pool).dump() + "\n";
  RunFiles::open(run).write(name_of(look), text);
}

Trace trace_of(const std::string& run, const Look& look) {
  const LoadedPolicy loaded = load_policy(run, look.sets, false);
  return trace_episode(*loaded.problem, *loaded.policy, kSeed,
                       static_cast<std::uint64_t>(*look.episode));
}

}  // namespace bpo::cli
