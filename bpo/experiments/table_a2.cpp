// Appendix Table 2: every method on every problem, unnormalised.
#include <fmt/format.h>

#include "bpo/experiments/paper_values.h"
#include "bpo/experiments/plan.h"
#include "bpo/experiments/sheet.h"
#include "bpo/report/hypotheses.h"

namespace bpo::experiments {
namespace {

/// The paper's LightDark: the filter is told the noise at the true position, and so is the policy.
Request leaky(const Scale& scale) {
  return {plan("lightdark", "bpo", {"problem.leak=true"}, scale), protocol("lightdark", scale)};
}

std::vector<Request> requests(const Scale& scale) {
  std::vector<Request> out;
  for (const PaperProblem& p : paper_problems()) {
    for (const PaperMethod& m : compared_methods()) {
      if (applies(p.problem, m.method)) out.push_back(cell(p, m.method, scale));
    }
  }
  out.push_back(leaky(scale));
  return out;
}

/// Whether BPO and another method have the seeds to be compared.
bool comparable(const Group* bpo, const Group* other) {
  return bpo != nullptr && other != nullptr && bpo != other && enough_seeds(*bpo) &&
         enough_seeds(*other);
}

std::string odds_cell(const Group* bpo, const Group* other) {
  if (!comparable(bpo, other)) return "-";
  const auto p = report::probability_of_improvement(bpo->values(), other->values());
  return fmt::format("{:.2f} [{:.2f}, {:.2f}]", p.value, p.low, p.high);
}

std::string effect_cell(const Group* bpo, const Group* other) {
  if (!comparable(bpo, other)) return "-";
  const auto g = report::hedges_g(bpo->values(), other->values());
  return g ? fmt::format("{:.1f}", *g) : "-";
}

/// A line of the table, but for its corrected p-value.
struct Line {
  std::string problem, method;
  std::optional<PaperValue> paper;
  const Group *found, *bpo;
  bool claim = true;  // whether the comparison is one of the family

  std::optional<double> p() const {
    if (!claim || !comparable(bpo, found)) return std::nullopt;
    return report::welch_p(bpo->values(), found->values());
  }
  std::vector<std::string> cells(const std::optional<double>& corrected) const {
    return {
        problem,
        method,
        paper ? fmt::format("{:.1f} +- {:.1f}", paper->mean, paper->half) : "-",
        seeds_cell(found),
        best_cell(found),
        found != nullptr ? fmt::format("{:.2f}", report::interquartile_mean(found->values())) : "-",
        number_cell(found != nullptr ? found->optimum() : std::nullopt),
        difference_cell(bpo, found),
        odds_cell(bpo, found),
        effect_cell(bpo, found),
        report::p_cell(corrected),
        found != nullptr ? fmt::to_string(found->seeds()) : "-",
        how_cell(found)};
  }
};

std::vector<Line> lines(const Findings& findings) {
  std::vector<Line> out;
  for (const PaperProblem& p : paper_problems()) {
    const Group* bpo = findings.find(cell(p, "bpo", findings.scale()));
    for (const PaperMethod& m : compared_methods()) {
      const bool there = applies(p.problem, m.method);
      const Group* f = there ? findings.find(cell(p, m.method, findings.scale())) : nullptr;
      out.push_back({p.name, m.name, appendix_table(p.name, m.method), f, bpo,
                     /*claim=*/m.method != "oracle"});
    }
    if (p.problem != "lightdark") continue;
    out.push_back({"LightDark, noise told", "BPO", appendix_table(p.name, "bpo"),
                   findings.find(leaky(findings.scale())), nullptr});
  }
  return out;
}

report::Table table(const Findings& findings) {
  report::Rows rows{{"problem", "method", "paper, best seed", "ours, mean over seeds", "best seed",
                     "IQM", "optimum", "BPO - this", "P(BPO > this)", "g", "p (Holm)", "seeds",
                     "measured"}};
  const std::vector<Line> all = lines(findings);
  std::vector<std::optional<double>> family;
  for (const Line& line : all) family.push_back(line.p());
  family = report::holm(family);
  for (std::size_t k = 0; k < all.size(); ++k) rows.push_back(all[k].cells(family[k]));
  return {rows, {2, 3, 4, 5, 6, 7, 8, 9, 10, 11}};
}

void render(const Findings& findings, Sheet& sheet) {
  sheet.table(table(findings));
  sheet.paragraph(
      "The paper's values are its best seed's, with 95 % intervals over episodes; ours are means "
      "over all seeds with 95 % t-intervals over seeds, the best seed beside them. Differences are "
      "over seeds (Welch) where each side has three, on common episodes; g is Hedges' effect size, "
      "and p is corrected by Holm for all comparisons of this table but those with the oracle, "
      "which sees the true latent. TRPO needs a prior mean to train on; DR is domain "
      "randomisation. 374.0 and 378.2 on Chain-10 lie "
      "above the optimum: noise of the paper's evaluation. The paper's LightDark tells filter and "
      "policy the noise at the true position; ours does not, except where it says so.");
}

const RegisterExperiment kTableA2{
    {7, "table-a2", "Appendix Table 2: all methods on all problems",
     "BPO has the highest return on seven of eight problems; with BPO-, on all.", requests, render,
     table}};

}  // namespace
}  // namespace bpo::experiments
