#include "bpo/report/scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace bpo::report {

std::vector<Tick> ticks(double low, double high, int most) {
  const double width = high - low;
  if (!std::isfinite(width) || !(width > 0.0) || most < 1) return {};
  const auto begin = [&](double step) { return std::ceil(low / step - 1e-9); };
  const auto count = [&](double step) { return std::floor(high / step + 1e-9) - begin(step) + 1; };
  int exponent = static_cast<int>(std::floor(std::log10(width / most)));
  double step = 0.0;
  for (;; ++exponent) {
    const double ten = std::pow(10.0, exponent);
    for (const double digit : {1.0, 2.0, 5.0}) {
      step = digit * ten;
      if (count(step) <= most) break;
    }
    if (count(step) <= most) break;
  }
  std::vector<Tick> out;
  for (int i = 0; i < count(step); ++i) {
    const double value = step * (begin(step) + i) + 0.0;
    const bool plain = exponent > -5 && std::abs(value) < 1e6;
    out.push_back({value, plain ? fmt::format("{:.{}f}", value, std::max(0, -exponent))
                                : fmt::format("{:g}", value)});
  }
  return out;
}

}  // namespace bpo::report
