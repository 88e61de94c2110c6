#include "bpo/cli/seeds.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>

#include "bpo/cli/table.h"

namespace bpo::cli {
namespace {

namespace fs = std::filesystem;

const std::string kPrefix = "seed-";

std::string shown(const std::optional<double>& value) {
  return value ? fmt::format("{:.4f}", *value) : "-";
}

}  // namespace

std::string seed_directory(const std::string& parent, std::int64_t seed) {
  return fmt::format("{}/{}{}", parent, kPrefix, seed);
}

std::vector<std::string> seed_directories(const std::string& parent) {
  std::map<std::int64_t, std::string> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(parent, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kPrefix) || !is_run(entry.path().string())) continue;
    std::int64_t seed = 0;
    const char* end = name.data() + name.size();
    if (std::from_chars(name.data() + kPrefix.size(), end, seed).ptr != end) continue;
    found[seed] = entry.path().string();
  }
  std::vector<std::string> out;
  for (const auto& [seed, path] : found) out.push_back(path);
  return out;
}

double t_quantile(int degrees) {
  constexpr std::array kTable{12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646,
                              2.3060,  2.2622, 2.2281, 2.2010, 2.1788, 2.1604, 2.1448,
                              2.1314,  2.1199, 2.1098, 2.1009, 2.0930, 2.0860};
  if (degrees <= static_cast<int>(kTable.size())) return kTable[std::max(degrees, 1) - 1];
  const double z = 1.959963984540054, z3 = z * z * z, z5 = z3 * z * z;  // Cornish-Fisher
  return z + (z3 + z) / (4.0 * degrees) +
         (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * degrees * degrees);
}

SeedSummary summarize(const std::vector<Result>& results) {
  SeedSummary out;
  const auto n = static_cast<double>(results.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    out.mean += results[i].best_estimate() / n;
    if (results[i].best_estimate() > results[out.best].best_estimate()) out.best = i;
  }
  if (results.size() < 2) return out;
  double squares = 0.0;
  for (const Result& r : results) squares += std::pow(r.best_estimate() - out.mean, 2);
  out.ci95 = t_quantile(static_cast<int>(results.size()) - 1) * std::sqrt(squares / (n - 1.0) / n);
  return out;
}

Json seeds_json(const std::vector<Result>& results) {
  const SeedSummary summary = summarize(results);
  const Result& first = results.front();
  Json out{{"problem", first.run.problem}, {"algorithm", first.run.algorithm}, {"seed", nullptr}};
  for (const Result& r : results) out["seeds"].push_back(r.run.seed);
  out["mean"] = summary.mean;
  out["ci95"] = results.size() > 1 ? Json(summary.ci95) : Json();
  out["episodes"] = first.episodes;
  out["exact"] = std::all_of(results.begin(), results.end(),
                             [](const Result& r) { return r.exact_value.has_value(); });
  out["optimum"] = first.optimum ? Json(*first.optimum) : Json();
  out["bayes_policy"] = first.bayes_policy ? Json(*first.bayes_policy) : Json();
  out["gap"] = first.optimum ? Json(*first.optimum - summary.mean) : Json();
  const Result& best = results[summary.best];
  out["best"] = {{"seed", best.run.seed}, {"value", best.best_estimate()}};
  for (const Result& r : results) out["runs"].push_back(r.json());
  return out;
}

std::string seeds_text(const std::vector<Result>& results) {
  std::vector<std::vector<std::string>> rows{
      {"seed", "mean", "+- 95 %", "exact", "gap", "best at", "seconds"}};
  for (const Result& r : results) {
    rows.push_back({fmt::to_string(r.run.seed), r.exact ? "-" : fmt::format("{:.4f}", r.mean),
                    r.exact ? "-" : fmt::format("{:.4f}", r.ci95), shown(r.exact_value),
                    shown(r.gap()), r.training ? fmt::to_string(r.training->best_iteration) : "-",
                    r.training ? fmt::format("{:.1f}", r.training->seconds) : "-"});
  }
  const SeedSummary summary = summarize(results);
  const Result& first = results.front();
  const Result& best = results[summary.best];
  std::string out = fmt::format("{} {}\n", first.run.problem, first.run.algorithm);
  out += aligned(rows, {0, 1, 2, 3, 4, 5, 6});
  if (results.size() == 1) {
    out += fmt::format("one seed, {:.4f}: no interval over seeds", summary.mean);
  } else {
    out += fmt::format("mean over {} seeds {:.4f} +- {:.4f} (95 %), best seed {}: {:.4f}",
                       results.size(), summary.mean, summary.ci95, best.run.seed,
                       best.best_estimate());
  }
  if (first.optimum) out += fmt::format(", optimum {:.4f}", *first.optimum);
  return out + "\n";
}

}  // namespace bpo::cli
