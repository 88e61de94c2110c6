#include "bpo/core/json.h"

namespace bpo {

std::string json_text(const Json& json) {
  return json.dump(2, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) + "\n";
}

}  // namespace bpo
