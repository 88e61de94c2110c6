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

std::vector<Tick> log_ticks(double low, double high, int most) {
  if (!(low > 0.0) || !std::isfinite(high)) return {};
  std::vector<Tick> out;
  const int first = static_cast<int>(std::ceil(std::log10(low) - 1e-9));
  const int last = static_cast<int>(std::floor(std::log10(high) + 1e-9));
  const int every = std::max(1, (last - first + most) / std::max(most, 1));
  for (int e = first; e <= last; e += every) {
    const double value = std::pow(10.0, e);
    out.push_back({value, fmt::format("{:g}", value)});
  }
  return out.size() < 2 ? ticks(low, high, most) : out;
}

Extent Extent::padded(double share) const {
  if (empty()) return {0.0, 1.0};
  double pad = share * (high - low);
  if (!(high - low > 1e-9 * std::max(std::abs(low), std::abs(high)))) {
    pad = low == 0.0 ? 1.0 : 0.1 * std::abs(low);
  }
  return {low - pad, high + pad};
}

}  // namespace bpo::report
