#include "bpo/cli/measured.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "bpo/cli/result.h"
#include "bpo/cli/world.h"
#include "bpo/core/file.h"
#include "bpo/core/hash.h"
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

std::string path_of(const std::string& run, const Look& look) {
  return fmt::format("{}/measured-{}.json", run, look.name());
}

bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

/// Of what makes the policy.
std::string fingerprint(const std::string& run) {
  Hash hash;
  for (const char* name : {"/config.toml", "/policy.safetensors"}) {
    if (!exists(run + name)) continue;  // a plan has no network
    hash.add(std::as_bytes(std::span<const char>(read_file(run + name, kMaxBytes))));
  }
  return hash.text();
}

std::optional<double> number(const Json& json, const char* key) {
  return json.at(key).is_null() ? std::nullopt : std::optional(json.at(key).get<double>());
}

/// Exact numbers of the run's own world are in its result already.
void add_exact(const std::string& run, const Look& look, const LoadedPolicy& loaded,
               ThreadPool& pool, Json& out) {
  const bool known = look.sets.empty() && has_result(run);
  const Measurement one{.episodes = 1, .exactness = Exactness::kSampleAndExact, .quiet = true};
  const Result result =
      known ? load_result(run) : measure(loaded.run, *loaded.problem, *loaded.policy, one, pool);
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
  out["returns"] = evaluate(*loaded.problem, *loaded.policy, kSeed, look.episodes, pool).returns;
  return out;
}

bool is_enough(const Json& json, const std::string& run, const Look& look) {
  return json.at("policy") == fingerprint(run) && json.at("set") == Json(look.sets) &&
         json.at("episodes") == look.episodes && (!look.exact || json.contains("exact_value")) &&
         (!look.curves || json.contains("entropy"));
}

}  // namespace

std::optional<Measured> recall(const std::string& run, const Look& look) {
  const std::string path = path_of(run, look);
  if (!exists(path) || !is_run(run)) return std::nullopt;
  try {
    const Json json = Json::parse(read_file(path, kMaxBytes));
    if (!is_enough(json, run, look)) return std::nullopt;
    Measured out{.returns = json.at("returns").get<std::vector<double>>()};
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
  write_file_atomic(path_of(run, look), measure_json(run, look, pool).dump() + "\n");
}

Trace trace_of(const std::string& run, const Look& look) {
  const LoadedPolicy loaded = load_policy(run, look.sets, false);
  return trace_episode(*loaded.problem, *loaded.policy, kSeed,
                       static_cast<std::uint64_t>(*look.episode));
}

}  // namespace bpo::cli
