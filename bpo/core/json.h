// JSON as the program writes it, in results and for `--json`.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace bpo {

using Json = nlohmann::ordered_json;

/// What is not finite is null.
inline Json number_or_null(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json();
}

/// ASCII in several lines, with U+FFFD for what is not UTF-8.
std::string json_text(const Json& json);

}  // namespace bpo
