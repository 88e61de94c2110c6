#include "bpo/core/log.h"

#include <limits>

namespace bpo {

double Metrics::operator[](const std::string& name) const {
  for (const auto& [key, value] : values) {
    if (key == name) return value;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace bpo
