// Fig. 2a: returns divided by BPO's. Where BPO's is negative, as on LightDark, they are shifted
// first, here so that the worst method is at 0 (the paper does not say by how much it shifts).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bpo/experiments/paper_values.h"
#include "bpo/experiments/plan.h"
#include "bpo/experiments/sheet.h"
#include "bpo/report/bar_chart.h"
#include "bpo/report/line_chart.h"

namespace bpo::experiments {
namespace {

/// The problems of the figure. Of Chain's discretisations the paper shows only the best.
std::vector<PaperProblem> shown_problems() {
  std::vector<PaperProblem> out;
  for (const PaperProblem& p : paper_problems()) {
    if (p.problem != "chain" || p.name == "Chain-10") out.push_back(p);
  }
  return out;
}

/// All methods, and SARSOP, which the paper compares with on Tiger.
const std::vector<PaperMethod>& shown_methods() {
  static const std::vector<PaperMethod> kMethods = [] {
    std::vector<PaperMethod> out = compared_methods();
    out.push_back({"sarsop", "SARSOP"});
    return out;
  }();
  return kMethods;
}

std::vector<Request> requests(const Scale& scale) {
  std::vector<Request> out;
  for (const PaperProblem& p : shown_problems()) {
    for (const PaperMethod& m : shown_methods()) {
      if (applies(p.problem, m.method)) out.push_back(cell(p, m.method, scale));
    }
  }
  return out;
}

/// Normalises a return: x -> (x + shift) / (BPO + shift).
struct Normal {
  double shift = 0.0, bpo = 1.0;
  double operator()(double x) const { return (x + shift) / (bpo + shift); }
};

Normal normal(double bpo, const std::vector<double>& all) {
  return {bpo > 0.0 ? 0.0 : -*std::min_element(all.begin(), all.end()), bpo};
}

/// What one problem adds: a bar per method, and every run's normalised score.
struct Scores {
  report::BarGroup bars;
  std::vector<report::Stratum> by_method;  // empty where a method has no runs
};

Normal paper_normal(const PaperProblem& p) {
  std::vector<double> all;
  for (const PaperMethod& m : paper_methods()) {
    if (const auto v = appendix_table(p.name, m.method)) all.push_back(v->mean);
  }
  return normal(appendix_table(p.name, "bpo")->mean, all);
}

/// The scores of a problem. There are none without runs, or where BPO is both negative and the
/// worst, for nothing can be divided by it then.
std::optional<Scores> scores(const PaperProblem& p, const Findings& findings) {
  std::vector<const Group*> found;
  std::vector<double> means;
  for (const PaperMethod& m : shown_methods()) {
    const bool there = applies(p.problem, m.method);
    found.push_back(there ? findings.find(cell(p, m.method, findings.scale())) : nullptr);
    if (found.back() != nullptr) means.push_back(found.back()->mean());
  }
  if (found.front() == nullptr) return std::nullopt;
  const Normal ours = normal(found.front()->mean(), means), papers = paper_normal(p);
  if (!(ours.bpo + ours.shift > 0.0)) return std::nullopt;
  Scores out{.bars = {.name = p.name, .bars = {}}, .by_method = {}};
  for (std::size_t k = 0; k < found.size(); ++k) {
    out.by_method.emplace_back();
    out.bars.bars.emplace_back();
    if (found[k] == nullptr) continue;
    for (double x : found[k]->values()) out.by_method[k].push_back(ours(x));
    const report::Mean mean = report::over_seeds(out.by_method[k]);
    out.bars.bars[k] =
        report::Bar{.value = mean.mean, .half = enough_seeds(*found[k]) ? mean.half : 0.0};
    const auto paper = appendix_table(p.name, shown_methods()[k].method);
    if (paper) out.bars.bars[k]->reference = papers(paper->mean);
  }
  return out;
}

/// Adds a table and a figure of scores over the problems that every method but TRPO has runs of.
void aggregate(const std::vector<Scores>& all, Sheet& sheet) {
  report::Rows rows{{"method", "IQM of normalised returns", "95 %, stratified bootstrap"}};
  report::LineChart profile{.title = "Performance profile",
                            .x_label = "normalised return tau",
                            .y_label = "share of runs above tau",
                            .lines = {}};
  std::vector<double> taus;
  for (int i = 0; i <= 60; ++i) taus.push_back(-1.5 + 0.05 * i);
  for (std::size_t k = 0; k < shown_methods().size(); ++k) {
    std::vector<report::Stratum> strata;
    bool enough = true;
    for (const Scores& s : all) {
      if (s.by_method[k].empty()) continue;
      strata.push_back(s.by_method[k]);
      enough = enough && strata.back().size() >= report::kEnoughSeeds;
    }
    if (strata.size() < all.size()) continue;
    const auto iqm = report::bootstrap(
        strata, [](std::span<const report::Stratum> s) { return report::interquartile_mean(s); });
    rows.push_back(
        {shown_methods()[k].name, fmt::format("{:.3f}", iqm.value),
         enough ? fmt::format("[{:.3f}, {:.3f}]", iqm.low, iqm.high) : "not enough seeds"});
    profile.lines.push_back(
        {shown_methods()[k].name, taus, report::performance_profile(strata, taus)});
  }
  sheet.table(rows, {1, 2});
  sheet.figure(draw(profile), "The share of runs, averaged over problems, that score above tau.");
}

report::Table table_of(const report::BarChart& chart) {
  report::Rows rows{{"ours (the paper's)"}};
  std::vector<int> right;
  for (const std::string& method : chart.series) {
    right.push_back(static_cast<int>(rows[0].size()));
    rows[0].push_back(method);
  }
  for (const report::BarGroup& group : chart.groups) {
    rows.push_back({group.name});
    for (const auto& bar : group.bars) {
      rows.back().push_back(bar ? fmt::format("{:.2f}", bar->value) : "-");
      if (bar && bar->reference) rows.back().back() += fmt::format(" ({:.2f})", *bar->reference);
    }
  }
  return {rows, right};
}

/// The problems that were run, and their bars.
report::BarChart chart_of(const Findings& findings, std::vector<Scores>& all) {
  report::BarChart chart{.title = "Returns divided by BPO's",
                         .x_label = "normalised return",
                         .series = {},
                         .groups = {},
                         .reference = "the paper's"};
  for (const PaperMethod& m : shown_methods()) chart.series.push_back(m.name);
  for (const PaperProblem& p : shown_problems()) {
    if (auto s = scores(p, findings)) {
      chart.groups.push_back(s->bars);
      all.push_back(std::move(*s));
    }
  }
  return chart;
}

report::Table table(const Findings& findings) {
  std::vector<Scores> all;
  return table_of(chart_of(findings, all));
}

void render(const Findings& findings, Sheet& sheet) {
  std::vector<Scores> all;
  const report::BarChart chart = chart_of(findings, all);
  if (all.empty()) return sheet.paragraph("Nothing was run.");
  sheet.figure(
      draw(chart),
      "Mean over seeds divided by BPO's mean; marks are the paper's best seeds. Where BPO's "
      "mean is negative, as on LightDark, all are shifted so that the worst method is at "
      "0; where it is also the worst, the problem is left out. Bars without an interval: "
      "not enough seeds.");
  sheet.table(table_of(chart));
  aggregate(all, sheet);
}

const RegisterExperiment kBenchmark{
    {1, "fig-benchmark", "Fig. 2a: normalised returns of all methods",
     "BPO is far ahead where information must be gathered (Tiger, LightDark) and on a par with "
     "UP-MLE where estimation is passive or robustness enough (Chain, robots).",
     requests, render, table}};

}  // namespace
}  // namespace bpo::experiments
