#include "bpo/runs/bounds.h"

#include <algorithm>
#include <cmath>

#include "bpo/runs/history.h"

namespace bpo {
namespace {

/// What is not finite is not known.
std::optional<Bounds> finite_bounds(double lower, double upper) {
  Bounds out;
  if (std::isfinite(lower)) out.lower = lower;
  if (std::isfinite(upper)) out.upper = upper;
  return out.has_lower() || out.has_upper() ? std::optional(out) : std::nullopt;
}

}  // namespace

std::optional<Bounds> bounds_of(const Metrics& metrics) {
  return finite_bounds(metrics["lower"], metrics["upper"]);
}

std::optional<Bounds> last_bounds(const std::string& directory) {
  const History history = load_history(directory);
  const auto last = [&](const char* name) {
    const auto found = history.find(name);
    return found == history.end() ? NAN : found->second.rbegin()->second;
  };
  return finite_bounds(last("lower"), last("upper"));
}

std::optional<Bounds> tightest(const std::optional<Bounds>& a, const std::optional<Bounds>& b) {
  if (!a || !b) return a ? a : b;
  return Bounds{std::max(a->lower, b->lower), std::min(a->upper, b->upper)};
}

}  // namespace bpo
