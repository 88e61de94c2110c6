// JSON from a file that anybody may have damaged or written.
#pragma once

#include <string_view>

#include "bpo/core/json.h"

namespace bpo {

/// Throws Json::exception, also for what is nested deeper than anything that this program writes:
/// JSON is printed and compared by recursion, and the stack ends.
Json parse_json(std::string_view text);

}  // namespace bpo
