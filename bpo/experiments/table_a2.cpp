// Appendix Table 2: every method on every problem, unnormalised.
#include <fmt/format.h>

#include "bpo/experiments/paper_values.h"
#include "bpo/experiments/plan.h"
#include "bpo/experiments/sheet.h"

namespace bpo::experiments {
namespace {

/// The paper's LightDark: the filter is told the noise at the true position, and so is the policy.
Request leaky(const Scale& scale) {
  return {plan("lightdark", "bpo", {"problem.leak=true"}, scale), protocol("lightdark", scale)};
}

std::vector<Request> requests(const Scale& scale) {
  std::vector<Request> out;
  for (const PaperProblem& p : paper_problems()) {
    for (const PaperMethod& m : paper_methods()) {
      if (appendix_table(p.name, m.method)) out.push_back(cell(p, m.method, scale));
    }
  }
  out.push_back(leaky(scale));
  return out;
}

std::string odds_cell(const Group* first, const Group* other) {
  if (first == nullptr || other == nullptr || first == other || !enough_seeds(*first) ||
      !enough_seeds(*other)) {
    return "-";
  }
  const auto p = report::probability_of_improvement(first->values(), other->values());
  return fmt::format("{:.2f} [{:.2f}, {:.2f}]", p.value, p.low, p.high);
}

std::vector<std::string> row(const std::string& problem, const std::string& method,
                             const std::optional<PaperValue>& paper, const Group* f,
                             const Group* bpo) {
  return {problem,
          method,
          paper ? fmt::format("{:.1f} +- {:.1f}", paper->mean, paper->half) : "-",
          seeds_cell(f),
          best_cell(f),
          f != nullptr ? fmt::format("{:.2f}", report::interquartile_mean(f->values())) : "-",
          number_cell(f != nullptr ? f->optimum() : std::nullopt),
          difference_cell(bpo, f),
          odds_cell(bpo, f),
          f != nullptr ? fmt::to_string(f->seeds()) : "-",
          how_cell(f)};
}

report::Table table(const Findings& findings) {
  report::Rows rows{{"problem", "method", "paper, best seed", "ours, mean over seeds", "best seed",
                     "IQM", "optimum", "BPO - this", "P(BPO > this)", "seeds", "measured"}};
  for (const PaperProblem& p : paper_problems()) {
    const Group* bpo = findings.find(cell(p, "bpo", findings.scale()));
    for (const PaperMethod& m : paper_methods()) {
      const auto paper = appendix_table(p.name, m.method);
      const Group* f = paper ? findings.find(cell(p, m.method, findings.scale())) : nullptr;
      rows.push_back(row(p.name, m.name, paper, f, bpo));
    }
    if (p.problem != "lightdark") continue;
    rows.push_back(row("LightDark, noise told", "BPO", appendix_table(p.name, "bpo"),
                       findings.find(leaky(findings.scale())), nullptr));
  }
  return {rows, {2, 3, 4, 5, 6, 7, 8, 9}};
}

void render(const Findings& findings, Sheet& sheet) {
  sheet.table(table(findings));
  sheet.paragraph(
      "The paper's values are its best seed's, with 95 % intervals over episodes; ours are means "
      "over all seeds with 95 % t-intervals over seeds, the best seed beside them. Differences are "
      "over seeds (Welch) where each side has three, on common episodes. A dash: the paper has no "
      "such run either (TRPO needs a prior mean to train on). 374.0 and 378.2 on Chain-10 lie "
      "above the optimum: noise of the paper's evaluation. The paper's LightDark tells filter and "
      "policy the noise at the true position; ours does not, except where it says so.");
}

const RegisterExperiment kTableA2{
    {7, "table-a2", "Appendix Table 2: all methods on all problems",
     "BPO has the highest return on seven of eight problems; with BPO-, on all.", requests, render,
     table}};

}  // namespace
}  // namespace bpo::experiments
