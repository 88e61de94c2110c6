#include "bpo/report/bounds_text.h"

#include <fmt/format.h>

#include <cmath>

#include "bpo/core/text.h"

namespace bpo::report {

std::vector<LinePart> bounds_parts(const Metrics& metrics) {
  if (std::isnan(metrics["upper"])) return {};
  std::vector<LinePart> out;
  const auto add = [&](const char* name, const char* label, int dispensable, auto text) {
    if (std::isnan(metrics[name])) return;
    out.push_back({label + text(metrics[name]), dispensable});
  };
  const auto count = [](double x) { return short_count(x); };
  const auto value = [](double x) { return fmt::format("{:.4f}", x); };
  add("seconds", "", 1, [](double x) { return short_time(x); });
  add("trials", "trials ", 5, count);
  add("backups", "backups ", 6, count);
  add("lower", "lower ", 0, value);
  add("upper", "upper ", 0, value);
  add("gap", "gap ", 4, value);  // the bounds tell it as well
  add("vectors", "vectors ", 3, count);
  add("memory", "", 2, [](double x) { return fmt::format("{:.1f} MB", x); });
  return out;
}

std::string range_text(const Bounds& b, int decimals) {
  if (!b.has_upper()) return fmt::format("at least {:.{}f}", b.lower, decimals);
  if (!b.has_lower()) return fmt::format("at most {:.{}f}", b.upper, decimals);
  return fmt::format("{1:.{0}f} to {2:.{0}f}", decimals, b.lower, b.upper);
}

std::string optimum_text(const Bounds& b) {
  if (!b.has_upper() || !b.has_lower()) return "the optimum is " + range_text(b);
  return fmt::format("the optimum is between {:.4f} and {:.4f}", b.lower, b.upper);
}

}  // namespace bpo::report
