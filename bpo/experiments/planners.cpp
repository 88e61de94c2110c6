// Sec. 5, the planners that the paper compares with: SARSOP on Tiger, 100 discounted steps, and
// Perseus on Chain, 1000 steps at slip 0.2, over 10. Their runs are also part of Fig. 2a and Table
// 1, which share them.
#include <fmt/format.h>

#include "bpo/experiments/plan.h"
#include "bpo/experiments/sheet.h"

namespace bpo::experiments {
namespace {

struct PaperPlanner {
  const char *problem, *name;
  Request request;
  PaperValue paper;
  double scale;  // what values are multiplied by
};

std::vector<PaperPlanner> planners(const Scale& scale) {
  std::vector<PaperPlanner> out{{"Tiger", "SARSOP", cell(paper_problems().front(), "sarsop", scale),
                                 *appendix_table("Tiger", "sarsop"), 1.0}};
  for (const bool tied : {true, false}) {
    for (const ChainValue& v : table1_values()) {
      if (v.tied != tied || v.solver != "Perseus" || !v.reread) continue;
      out.push_back({tied ? "Chain, tied" : "Chain, semi-tied", "Perseus",
                     perseus_on_chain(tied, scale), v.value, 0.1});
    }
  }
  return out;
}

std::vector<Request> requests(const Scale& scale) {
  std::vector<Request> out;
  for (const PaperPlanner& p : planners(scale)) out.push_back(p.request);
  return out;
}

report::Table table(const Findings& findings) {
  report::Rows rows{{"problem", "planner", "ours", "runs", "measured", "paper", "Bayes-optimal"}};
  for (const PaperPlanner& p : planners(findings.scale())) {
    const Group* f = findings.find(p.request);
    std::string ours = "-", best = "-";
    if (f != nullptr) {
      std::vector<double> values = f->values();
      for (double& x : values) x *= p.scale;
      const report::Mean mean = report::over_seeds(values);
      ours = enough_seeds(*f) ? fmt::format("{:.2f} +- {:.2f}", mean.mean, mean.half)
                              : fmt::format("{:.2f}", report::mean_of(values));
      const auto bayes = f->runs.front().bayes_policy ? f->runs.front().bayes_policy : f->optimum();
      if (bayes) best = fmt::format("{:.2f}", *bayes * p.scale);
    }
    rows.push_back({p.problem, p.name, ours, f == nullptr ? "-" : fmt::to_string(f->seeds()),
                    how_cell(f), fmt::format("{:.1f} +- {:.1f}", p.paper.mean, p.paper.half),
                    best});
  }
  return {rows, {2, 3, 5, 6}};
}

void render(const Findings& findings, Sheet& sheet) {
  sheet.table(table(findings));
  sheet.paragraph(
      "SARSOP draws nothing, so one run is all there is; Perseus draws its beliefs. The paper's "
      "Perseus is quoted from Wang et al. 2012.");
}

const RegisterExperiment kPlanners{
    {9, "planners", "Sec. 5: SARSOP on Tiger and Perseus on Chain",
     "SARSOP's return on Tiger is 19.0 +- 0.6; Perseus' on Chain 366.1 and 365.1.", requests,
     render, table}};

}  // namespace
}  // namespace bpo::experiments
