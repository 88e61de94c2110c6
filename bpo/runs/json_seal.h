// A checksum inside a JSON object, of all the rest of it: damage does not pass for a result.
#pragma once

#include "bpo/core/json.h"

namespace bpo {

void seal(Json& json);
bool is_sealed(const Json& json);

}  // namespace bpo
