// Appendix Table 2: every method on every problem, unnormalised.
#include <fmt/format.h>

#include <algorithm>

#include "bpo/experiments/paper_values.h"
#include "bpo/experiments/plan.h"
#include "bpo/experiments/sheet.h"
#include "bpo/report/hypotheses.h"

namespace bpo::experiments {
namespace {

/// A problem of the table; where `all` is false, with BPO alone.
struct Shown {
  PaperProblem problem;
  std::string paper;  // whose row of the paper's table it is compared with
  bool all = true;
};

/// The paper's problems, and beside them Chain with a slip for each action, and LightDark as the
/// paper has it: filter and policy are told the noise at the true position.
const std::vector<Shown>& shown_problems() {
  static const std::vector<Shown> kShown = [] {
    std::vector<Shown> out;
    for (const PaperProblem& p : paper_problems()) {
      out.push_back({p, p.name});
      if (p.name == "Chain-1000") {
        out.push_back({{"Chain-10, semi-tied", "chain", {"problem.tying=semi"}}, "", false});
      }
      if (p.name == "LightDark") {
        out.push_back({{"LightDark, noise told", p.problem, {"problem.leak=true"}}, p.name, false});
      }
    }
    return out;
  }();
  return kShown;
}

bool is_shown(const Shown& s, const std::string& method) { return s.all || method == "bpo"; }

std::vector<Request> requests(const Scale& scale) {
  std::vector<Request> out;
  for (const Shown& s : shown_problems()) {
    for (const PaperMethod& m : compared_methods()) {
      if (!is_shown(s, m.method) || !applies(s.problem.problem, m.method)) continue;
      out.push_back(cell(s.problem, m.method, scale));
    }
  }
  return out;
}

const Group* found(const Shown& s, const std::string& method, const Findings& findings) {
  if (!is_shown(s, method) || !applies(s.problem.problem, method)) return nullptr;
  return findings.find(cell(s.problem, method, findings.scale()));
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
  for (const Shown& s : shown_problems()) {
    const Group* bpo = s.all ? found(s, "bpo", findings) : nullptr;
    for (const PaperMethod& m : compared_methods()) {
      if (!is_shown(s, m.method)) continue;
      out.push_back({s.problem.name, m.name, appendix_table(s.paper, m.method),
                     found(s, m.method, findings), bpo, /*claim=*/m.method != "oracle"});
    }
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

/// A line for each problem: means with intervals over seeds, and how many seeds these are.
report::Table compact(const Findings& findings) {
  const std::vector<std::string> order{"bpo",   "bpo-minus", "up-mle", "dr",
                                       "epopt", "trpo",      "oracle"};
  report::Rows rows{{"problem"}};
  for (const std::string& method : order) {
    const auto& all = compared_methods();
    rows[0].push_back(std::find_if(all.begin(), all.end(), [&](const PaperMethod& m) {
                        return m.method == method;
                      })->name);
  }
  rows[0].insert(rows[0].end(), {"optimum", "the paper's BPO, best seed"});
  for (const Shown& s : shown_problems()) {
    std::vector<std::string>& row = rows.emplace_back();
    row.push_back(s.problem.name);
    for (const std::string& method : order) {
      const Group* f = found(s, method, findings);
      row.push_back(f == nullptr ? "-" : fmt::format("{} ({})", seeds_cell(f), f->seeds()));
    }
    const Group* bpo = found(s, "bpo", findings);
    row.push_back(number_cell(bpo == nullptr ? std::nullopt : bpo->optimum()));
    const auto paper = appendix_table(s.paper, "bpo");
    row.push_back(paper ? fmt::format("{:.1f} +- {:.1f}", paper->mean, paper->half) : "-");
  }
  return {rows, {1, 2, 3, 4, 5, 6, 7, 8, 9}};
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
    {.place = 7,
     .name = "table-a2",
     .title = "Appendix Table 2: all methods on all problems",
     .paper = "BPO has the highest return on seven of eight problems; with BPO-, on all.",
     .requests = requests,
     .render = render,
     .table = table,
     .compact = compact}};

}  // namespace
}  // namespace bpo::experiments
