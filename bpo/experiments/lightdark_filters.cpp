// LightDark by what keeps the belief: our EKF, the moment filter, and the authors', which is told
// the noise at the true position. The methods that see a belief, with sampled and with greedy
// actions, beside planners on the same beliefs and the bound of one who is told the position.
#include <algorithm>

#include "bpo/experiments/paper_values.h"
#include "bpo/experiments/plan.h"
#include "bpo/experiments/sheet.h"

namespace bpo::experiments {
namespace {

struct Kept {
  const char* name;
  std::vector<std::string> sets;
};

const std::vector<Kept>& filters() {
  static const std::vector<Kept> kFilters = {{"EKF", {}},
                                             {"moment", {"problem.filter=moment"}},
                                             {"EKF told the noise", {"problem.leak=true"}}};
  return kFilters;
}

const std::vector<PaperMethod>& methods() {
  static const std::vector<PaperMethod> kMethods = {{"bpo", "BPO"},
                                                    {"bpo-minus", "BPO-"},
                                                    {"up-mle", "UP-MLE"},
                                                    {"belief-dp", "belief-dp (planner)"},
                                                    {"told-position", "told the position (bound)"}};
  return kMethods;
}

Request measured(const Kept& kept, const PaperMethod& m, bool greedy, const Scale& scale) {
  Request out{plan("lightdark", m.method, kept.sets, scale), protocol("lightdark", scale)};
  // What is asked of the other filters is whether BPO gains by seeing their variance.
  const int most = kept.sets.empty() || m.method == "bpo" ? 10 : m.method == "up-mle" ? 5 : 3;
  out.series.seeds = std::min(out.series.seeds, most);
  out.protocol.greedy = greedy;
  // A table to look up for every stride, which is too slow for a quick look.
  if (is_planner(m.method) && scale.quick) out.protocol.episodes = scale.episodes.value_or(200);
  return out;
}

std::vector<Request> requests(const Scale& scale) {
  std::vector<Request> out;
  for (const Kept& kept : filters()) {
    for (const PaperMethod& m : methods()) {
      out.push_back(measured(kept, m, false, scale));
      if (!is_planner(m.method)) out.push_back(measured(kept, m, true, scale));
    }
  }
  return out;
}

report::Table table(const Findings& findings) {
  report::Rows rows{{"filter", "method", "sampled, mean over seeds", "best seed", "greedy"}};
  for (const Kept& kept : filters()) {
    for (const PaperMethod& m : methods()) {
      const Group* sampled = findings.find(measured(kept, m, false, findings.scale()));
      if (sampled == nullptr) continue;
      const Group* greedy =
          is_planner(m.method) ? nullptr : findings.find(measured(kept, m, true, findings.scale()));
      rows.push_back({kept.name, m.name, seeds_cell(sampled), best_cell(sampled),
                      greedy != nullptr ? seeds_cell(greedy) : "-"});
    }
  }
  return {rows, {2, 3, 4}};
}

void render(const Findings& findings, Sheet& sheet) {
  const report::Table found = table(findings);
  if (found.rows.size() == 1) return sheet.paragraph("Nothing was run.");
  sheet.table(found);
  sheet.paragraph(
      "The same episodes for all. UP-MLE sees the filter's mean alone, BPO and BPO- its variance "
      "as well. Nobody who is not told the position can do better than one who is.");
}

const RegisterExperiment kFilters{
    {8, "lightdark-filters", "LightDark by the filter that keeps the belief",
     "its filter is told the noise at the true position.", requests, render, table}};

}  // namespace
}  // namespace bpo::experiments
