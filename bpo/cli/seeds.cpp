#include "bpo/cli/seeds.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "bpo/algorithms/run.h"
#include "bpo/core/text.h"
#include "bpo/report/statistics.h"
#include "bpo/report/table.h"

namespace bpo::cli {
namespace {

const std::string kPrefix = "seed-";

std::string shown(const std::optional<double>& value) {
  return value ? fmt::format("{:.4f}", *value) : "-";
}

std::string note_on(const Result& r) {
  std::vector<std::string> notes;
  if (r.diverged) notes.push_back("diverged; its best policy before that");
  if (r.faults > 0) notes.push_back(fault_notice("", r.faults, r.episodes));
  return fmt::format("{}", fmt::join(notes, "; "));
}

std::vector<double> values_of(const std::vector<Result>& results) {
  std::vector<double> out;
  for (const Result& r : results) out.push_back(r.best_estimate());
  return out;
}

}  // namespace

std::string seed_directory(const std::string& parent, std::int64_t seed) {
  const std::string path = fmt::format("{}/{}{}", parent, kPrefix, seed);
  refuse_link(path);
  return path;
}

std::vector<std::string> seed_directories(const std::string& parent) {
  std::map<std::int64_t, std::string> found;
  for (const std::string& name : names_in(parent)) {
    const std::string path = parent + "/" + name;
    if (!name.starts_with(kPrefix) || !is_run(path)) continue;
    std::int64_t seed = 0;
    const char* end = name.data() + name.size();
    if (std::from_chars(name.data() + kPrefix.size(), end, seed).ptr != end) continue;
    found[seed] = path;
  }
  std::vector<std::string> out;
  for (const auto& [seed, path] : found) out.push_back(path);
  return out;
}

std::vector<std::string> runs_of(const std::string& directory) {
  std::vector<std::string> runs = seed_directories(directory);
  if (is_run(directory) || runs.empty()) return {directory};
  return runs;
}

void check_one_problem(const std::string& first, const std::string& its_problem,
                       const std::string& other, const std::string& others_problem) {
  if (its_problem == others_problem) return;
  throw bad_input(fmt::format("{} is a run of {}, {} of {}: name runs of one problem", first,
                              its_problem, other, others_problem));
}

Json seeds_json(const std::vector<Result>& results) {
  const std::vector<double> values = values_of(results);
  const report::Mean summary = report::over_seeds(values);
  const Result& first = results.front();
  Json out{{"problem", first.run.problem}, {"algorithm", first.run.algorithm}, {"seed", nullptr}};
  for (const Result& r : results) out["seeds"].push_back(r.run.seed);
  out["mean"] = summary.mean;
  out["ci95"] = summary.half;  // NaN, where there is one seed, becomes null
  out["episodes"] = first.episodes;
  out["exact"] = std::all_of(results.begin(), results.end(),
                             [](const Result& r) { return r.exact_value.has_value(); });
  out["optimum"] = number_or_null(first.optimum);
  out["bayes_policy"] = number_or_null(first.bayes_policy);
  out["gap"] = first.optimum ? Json(*first.optimum - summary.mean) : Json();
  const Result& best = results[report::best_of(values)];
  out["best"] = {{"seed", best.run.seed}, {"value", best.best_estimate()}};
  for (const Result& r : results) out["runs"].push_back(r.json());
  return out;
}

std::string seeds_text(const std::vector<Result>& results) {
  std::vector<std::vector<std::string>> rows{
      {"seed", "mean", "+- 95 %", "exact", "gap", "best at", "seconds", ""}};
  for (const Result& r : results) {
    rows.push_back({fmt::to_string(r.run.seed), r.exact ? "-" : fmt::format("{:.4f}", r.mean),
                    r.exact ? "-" : shown(r.ci95), shown(r.exact_value), shown(r.gap()),
                    r.training ? fmt::to_string(r.training->best_iteration) : "-",
                    r.training ? fmt::format("{:.1f}", r.training->seconds) : "-", note_on(r)});
  }
  const std::vector<double> values = values_of(results);
  const report::Mean summary = report::over_seeds(values);
  const Result& first = results.front();
  const Result& best = results[report::best_of(values)];
  std::string out = printable(fmt::format("{} {}", first.run.problem, first.run.algorithm)) + "\n";
  out += report::aligned(rows, {0, 1, 2, 3, 4, 5, 6});
  if (results.size() == 1) {
    out += fmt::format("one seed, {:.4f}: no interval over seeds", summary.mean);
  } else {
    out += fmt::format("mean over {} seeds {:.4f} +- {:.4f} (95 %), best seed {}: {:.4f}",
                       results.size(), summary.mean, summary.half, best.run.seed,
                       best.best_estimate());
  }
  if (first.optimum) out += fmt::format(", optimum {:.4f}", *first.optimum);
  return out + "\n";
}

}  // namespace bpo::cli
