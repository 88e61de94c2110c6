// Any bytes are what was measured of a policy or nothing. Where they are JSON they are sealed anew,
// so that their checksum does not keep them from being read, and asked for what they say they are.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "bpo/core/parse_json.h"
#include "bpo/runs/json_seal.h"
#include "bpo/runs/measured_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  bpo::parse_measured(text, "a policy", {.episodes = 1});
  bpo::Json json;
  try {
    json = bpo::parse_json(text);
  } catch (const bpo::Json::exception&) {
    return 0;
  }
  if (!json.is_object()) return 0;
  bpo::seal(json);
  const bpo::Json policy = json.value("policy", bpo::Json());
  bpo::Protocol protocol;
  protocol.episodes = static_cast<std::int64_t>(json.value("returns", bpo::Json()).size());
  const bpo::Json set = json.value("set", bpo::Json());
  if (set.is_array() && set.size() == 1 && set[0].is_string()) protocol.sets = {set[0]};
  const auto read = bpo::parse_measured(
      bpo::json_text(json), policy.is_string() ? policy.get<std::string>() : "", protocol);
  if (!read) return 0;
  if (read->episodes != protocol.episodes || read->sets != protocol.sets) std::abort();
  if (read->returns.size() != static_cast<std::size_t>(read->episodes)) std::abort();
  if (read->faults < 0 || read->faults > read->episodes) std::abort();
  if (bpo::json_text(read->json()).empty()) std::abort();
  return 0;
}
