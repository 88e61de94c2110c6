#include "bpo/runs/json_seal.h"

#include <string>

#include "bpo/core/hash.h"

namespace bpo {
namespace {

constexpr const char* kChecksum = "checksum";

std::string checksum(Json json) {
  json.erase(kChecksum);
  return hash_of(json_text(json));
}

}  // namespace

void seal(Json& json) { json[kChecksum] = checksum(json); }

bool is_sealed(const Json& json) {
  return json.is_object() && json.contains(kChecksum) && json.at(kChecksum) == checksum(json);
}

}  // namespace bpo
