#include "bpo/runs/cache.h"

#include <fmt/format.h>

#include <algorithm>

#include "bpo/core/file.h"
#include "bpo/core/simulate.h"
#include "bpo/runs/json_seal.h"
#include "bpo/runs/measure.h"
#include "bpo/runs/measured_file.h"
#include "bpo/runs/result.h"

namespace bpo {
namespace {

constexpr std::size_t kMostCacheBytes = std::size_t{1} << 28;
constexpr std::int64_t kCurveEpisodes = 128;

std::string name_of(const Protocol& protocol) {
  return fmt::format("measured-{}.json", protocol.name());
}

/// The settings and the network, if there is one, make the policy.
std::string fingerprint(const std::string& run) {
  return load_config(run).hash() + policy_hash(run);
}

void add_exact(const Protocol& protocol, const LoadedPolicy& loaded, ThreadPool& pool, Json& out) {
  NullLog quiet;
  const Protocol one{.episodes = 1, .exactness = Exactness::kValue};
  const Measurement exact = protocol.sets.empty() ? exact_numbers(loaded, pool)
                                                  : measure(loaded.run, *loaded.problem,
                                                            *loaded.policy, one, quiet, pool);
  out["exact_value"] = number_or_null(exact.exact_value);
  out["optimum"] = number_or_null(exact.optimum);
  out["bayes_policy"] = number_or_null(exact.bayes_policy);
}

Json measure_json(const std::string& run, const Protocol& protocol, ThreadPool& pool) {
  const LoadedPolicy loaded = load_run(run, protocol.sets);
  Json out{{"policy", fingerprint(run)}, {"set", protocol.sets}, {"episodes", protocol.episodes}};
  if (protocol.exactness == Exactness::kValue) add_exact(protocol, loaded, pool, out);
  if (protocol.curves) {
    const Curves curves = curves_of(*loaded.problem, *loaded.policy, protocol.episode_seed(),
                                    std::min(protocol.episodes, kCurveEpisodes), pool);
    out["entropy"] = curves.entropy;
    out["so_far"] = curves.so_far;
  }
  const Evaluation evaluation =
      evaluate(*loaded.problem, *loaded.policy, protocol.episode_seed(), protocol.episodes, pool);
  out["returns"] = evaluation.returns;
  out["faults"] = evaluation.faults.size();
  seal(out);
  return out;
}

}  // namespace

std::optional<Measurement> recall(const std::string& run, const Protocol& protocol) {
  const std::string path = run + "/" + name_of(protocol);
  if (!is_run(run) || !exists(path)) return std::nullopt;
  return parse_measured(read_file(path, kMostCacheBytes), fingerprint(run), protocol);
}

void measure_and_remember(const std::string& run, const Protocol& protocol, ThreadPool& pool) {
  const std::string text = measure_json(run, protocol, pool).dump() + "\n";
  RunFiles::open(run).write(name_of(protocol), text);
}

Trace trace_of(const std::string& run, const Protocol& protocol) {
  const LoadedPolicy loaded = load_run(run, protocol.sets);
  return trace_episode(*loaded.problem, *loaded.policy, protocol.episode_seed(),
                       static_cast<std::uint64_t>(*protocol.episode));
}

}  // namespace bpo
