#include "bpo/report/bounds_text.h"

#include <fmt/format.h>

#include <cmath>

#include "bpo/core/text.h"

namespace bpo::report {

std::string bounds_text(const Metrics& metrics) {
  if (std::isnan(metrics["upper"])) return "";
  std::string out;
  const auto add = [&](const char* name, const char* label, auto text) {
    if (std::isnan(metrics[name])) return;
    out += fmt::format("{}{}{}", out.empty() ? "" : "  ", label, text(metrics[name]));
  };
  const auto count = [](double x) { return short_count(x); };
  const auto value = [](double x) { return fmt::format("{:.4f}", x); };
  add("seconds", "", [](double x) { return short_time(x); });
  add("trials", "trials ", count);
  add("backups", "backups ", count);
  add("lower", "lower ", value);
  add("upper", "upper ", value);
  add("gap", "gap ", value);
  add("vectors", "vectors ", count);
  add("memory", "", [](double x) { return fmt::format("{:.1f} MB", x); });
  return out;
}

}  // namespace bpo::report
