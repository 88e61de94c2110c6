#include "bpo/report/belief_bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

namespace bpo::report {
namespace {

constexpr std::size_t kFewCells = 3, kBarWidth = 8, kColumns = 16;
constexpr std::string_view kShades = " .:-=+*#%@";

std::string bar(float p) {
  const auto full = static_cast<std::size_t>(
      std::lround(std::clamp(p, 0.0f, 1.0f) * static_cast<float>(kBarWidth)));
  return fmt::format("[{}{}]", std::string(full, '#'), std::string(kBarWidth - full, '.'));
}

/// The mass in each of at most kColumns equal parts; a cell on a border is shared.
std::vector<double> columns_of(std::span<const float> cells) {
  const std::size_t n = std::min(cells.size(), kColumns);
  std::vector<double> mass(n, 0.0);
  const double width = static_cast<double>(cells.size()) / static_cast<double>(n);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const double begin = static_cast<double>(i), end = begin + 1.0;
    for (auto c = static_cast<std::size_t>(begin / width); c < n; ++c) {
      const double left = std::max(begin, static_cast<double>(c) * width);
      const double right = std::min(end, static_cast<double>(c + 1) * width);
      if (right <= left) break;
      mass[c] += cells[i] * (right - left);
    }
  }
  return mass;
}

std::string shaded(std::span<const float> cells) {
  const std::vector<double> mass = columns_of(cells);
  const double most = *std::max_element(mass.begin(), mass.end());
  std::string out = "[";
  for (const double m : mass) {
    const double level = most > 0.0 ? m / most * static_cast<double>(kShades.size() - 1) : 0.0;
    out += kShades[static_cast<std::size_t>(std::lround(level))];
  }
  return out + "]";
}

}  // namespace

std::string belief_bars(std::span<const float> belief, int factors) {
  const std::size_t parts = factors > 0 && belief.size() % factors == 0 ? factors : 1;
  const std::size_t cells = belief.size() / parts;
  if (cells == 0) return "";
  std::string out;
  for (std::size_t f = 0; f < parts; ++f) {
    const auto factor = belief.subspan(f * cells, cells);
    if (f > 0) out += ' ';
    if (cells > kFewCells) {
      out += shaded(factor);
      continue;
    }
    for (std::size_t i = 0; i < cells; ++i) {
      if (i > 0) out += ' ';
      out += bar(factor[i]);
    }
  }
  return out;
}

std::string compact(std::span<const float> values) {
  const auto ones = std::count(values.begin(), values.end(), 1.0f);
  const auto zeros = std::count(values.begin(), values.end(), 0.0f);
  if (values.size() > 1 && ones == 1 && zeros + 1 == static_cast<std::ptrdiff_t>(values.size())) {
    return fmt::format("#{}", std::find(values.begin(), values.end(), 1.0f) - values.begin());
  }
  std::string out;
  for (const float x : values) out += fmt::format("{}{:.3g}", out.empty() ? "" : " ", x);
  return fmt::format("({})", out);
}

}  // namespace bpo::report
