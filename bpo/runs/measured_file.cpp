#include "bpo/runs/measured_file.h"

#include <utility>

#include "bpo/core/parse_json.h"
#include "bpo/core/simulate.h"
#include "bpo/runs/json_seal.h"

namespace bpo {
namespace {

std::optional<double> number_in(const Json& json, const char* key) {
  return json.at(key).is_null() ? std::nullopt : std::optional(json.at(key).get<double>());
}

bool is_enough(const Json& json, const std::string& policy, const Protocol& protocol) {
  const bool has_values = json.contains("exact_value") || protocol.exactness != Exactness::kValue;
  return json.at("policy") == policy && json.at("set") == Json(protocol.sets) &&
         json.at("episodes") == protocol.episodes &&
         json.at("returns").size() == static_cast<std::size_t>(protocol.episodes) && has_values &&
         (!protocol.curves || json.contains("entropy"));
}

}  // namespace

std::optional<Measurement> parse_measured(std::string_view text, const std::string& policy,
                                          const Protocol& protocol) {
  try {
    const Json json = parse_json(text);
    if (!is_sealed(json) || !is_enough(json, policy, protocol)) return std::nullopt;
    // The JSON library itself would cut 1e300 to an integer, which is undefined.
    const Json& faults = json.at("faults");
    if (!faults.is_number_unsigned() || faults > protocol.episodes) return std::nullopt;
    Evaluation played{.returns = json.at("returns").get<std::vector<double>>()};
    Measurement out;
    out.sets = protocol.sets;
    out.episodes = protocol.episodes;
    out.mean = played.mean();
    out.ci95 = played.ci95();
    out.faults = faults.get<std::int64_t>();
    out.returns = std::move(played.returns);
    if (json.contains("exact_value")) {
      out.exact_value = number_in(json, "exact_value");
      out.optimum = number_in(json, "optimum");
      out.bayes_policy = number_in(json, "bayes_policy");
    }
    if (json.contains("entropy")) out.curves = Curves{json.at("entropy"), json.at("so_far")};
    return out;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace bpo
