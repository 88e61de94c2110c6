#include "bpo/report/group_text.h"

#include <fmt/format.h>

#include "bpo/core/text.h"
#include "bpo/report/result_text.h"
#include "bpo/report/statistics.h"
#include "bpo/report/table.h"

namespace bpo::report {
namespace {

std::string shown(const std::optional<double>& value) {
  return value ? fmt::format("{:.4f}", *value) : "-";
}

std::string note_on(const Measurement& r) {
  std::vector<std::string> notes;
  if (r.diverged) notes.push_back("diverged; its best policy before that");
  if (r.faults > 0) notes.push_back(fault_notice("", r.faults, r.episodes));
  return fmt::format("{}", fmt::join(notes, "; "));
}

}  // namespace

Json group_json(const Group& group) {
  const std::vector<double> values = group.values();
  const Mean summary = over_seeds(values);
  const Measurement& first = group.runs.front();
  Json out{{"problem", first.run.problem}, {"algorithm", first.run.algorithm}, {"seed", nullptr}};
  for (const Measurement& r : group.runs) out["seeds"].push_back(r.run.seed);
  out["mean"] = summary.mean;
  out["ci95"] = summary.half;  // NaN, where there is one seed, becomes null
  out["episodes"] = first.episodes;
  out["exact"] = group.exact();
  out["optimum"] = number_or_null(first.optimum);
  out["bayes_policy"] = number_or_null(first.bayes_policy);
  out["gap"] = first.optimum ? Json(*first.optimum - summary.mean) : Json();
  const Measurement& best = group.best();
  out["best"] = {{"seed", best.run.seed}, {"value", best.value()}};
  for (const Measurement& r : group.runs) out["runs"].push_back(r.json());
  return out;
}

std::string group_text(const Group& group) {
  Rows rows{{"seed", "mean", "+- 95 %", "exact", "gap", "best at", "seconds", ""}};
  for (const Measurement& r : group.runs) {
    rows.push_back({fmt::to_string(r.run.seed), r.exact ? "-" : fmt::format("{:.4f}", r.mean),
                    r.exact ? "-" : shown(r.ci95), shown(r.exact_value), shown(r.gap()),
                    r.training ? fmt::to_string(r.training->best_iteration) : "-",
                    r.training ? fmt::format("{:.1f}", r.training->seconds) : "-", note_on(r)});
  }
  const std::vector<double> values = group.values();
  const Mean summary = over_seeds(values);
  const Measurement& first = group.runs.front();
  const Measurement& best = group.best();
  std::string out = printable(fmt::format("{} {}", first.run.problem, first.run.algorithm)) + "\n";
  out += aligned(rows, {0, 1, 2, 3, 4, 5, 6});
  if (group.seeds() == 1) {
    out += fmt::format("one seed, {:.4f}: no interval over seeds", summary.mean);
  } else {
    out += fmt::format("mean over {} seeds {:.4f} +- {:.4f} (95 %), best seed {}: {:.4f}",
                       group.seeds(), summary.mean, summary.half, best.run.seed, best.value());
  }
  if (first.optimum) out += fmt::format(", optimum {:.4f}", *first.optimum);
  return out + "\n";
}

}  // namespace bpo::report
