// Fig. 5: for each robot and baseline, a dot per latent MDP at (baseline's return, BPO's return).
// An episode of the common evaluation is one MDP: its latent, first state and noise are the same
// for every method. Returns are means over the seeds.
#include <fmt/format.h>

#include "bpo/experiments/paper_values.h"
#include "bpo/experiments/plan.h"
#include "bpo/experiments/sheet.h"
#include "bpo/report/scatter_chart.h"

namespace bpo::experiments {
namespace {

const std::vector<PaperMethod> kBaselines = {
    {"epopt", "EPOpt"}, {"up-mle", "UP-MLE"}, {"trpo", "TRPO"}};

std::vector<PaperProblem> robots() {
  std::vector<PaperProblem> out;
  for (const PaperProblem& p : paper_problems()) {
    if (p.robot) out.push_back(p);
  }
  return out;
}

std::vector<Request> requests(const Scale& scale) {
  std::vector<Request> out;
  for (const PaperProblem& p : robots()) {
    out.push_back(cell(p, "bpo", scale));
    for (const PaperMethod& m : kBaselines) out.push_back(cell(p, m.method, scale));
  }
  return out;
}

void render(const Findings& findings, Sheet& sheet) {
  report::Rows rows{{"robot", "baseline", "MDPs where BPO is better", "BPO - baseline, paired",
                     "over seeds", "paper: BPO", "paper: baseline"}};
  for (const PaperProblem& p : robots()) {
    const Group* bpo = findings.find(cell(p, "bpo", findings.scale()));
    for (const PaperMethod& m : kBaselines) {
      const Group* base = findings.find(cell(p, m.method, findings.scale()));
      if (bpo == nullptr || base == nullptr) continue;
      const std::vector<double> y = bpo->returns(), x = base->returns();
      report::Cloud better{.name = "BPO better", .x = {}, .y = {}};
      report::Cloud worse{.name = m.name + " better", .x = {}, .y = {}};
      for (std::size_t e = 0; e < x.size(); ++e) {
        report::Cloud& cloud = y[e] > x[e] ? better : worse;
        cloud.x.push_back(x[e]);
        cloud.y.push_back(y[e]);
      }
      const report::Mean gap = report::paired_difference(y, x);
      const auto papers = appendix_table(p.name, "bpo"), others = appendix_table(p.name, m.method);
      rows.push_back({p.name, m.name, fmt::format("{} of {}", better.x.size(), x.size()),
                      fmt::format("{:.2f} +- {:.2f}", gap.mean, gap.half),
                      difference_cell(bpo, base), fmt::format("{:.1f}", papers->mean),
                      fmt::format("{:.1f}", others->mean)});
      const report::ScatterChart chart{.title = fmt::format("{}: BPO against {}", p.name, m.name),
                                       .x_label = m.name,
                                       .y_label = "BPO",
                                       .clouds = {std::move(better), std::move(worse)}};
      sheet.figure(draw(chart), fmt::format("{}: each dot is one latent MDP.", p.name));
    }
  }
  if (rows.size() == 1) {
    return sheet.paragraph("Nothing was run: this program was built without MuJoCo.");
  }
  sheet.table(rows, {2, 3, 4, 5, 6});
  sheet.paragraph(
      "The paired interval is over MDPs, of means over seeds: it says nothing about other seeds.");
}

const RegisterExperiment kPairs{
    {6, "fig-mujoco-pairs", "Fig. 5: BPO against each baseline, robot by robot",
     "On HalfCheetah BPO is better than EPOpt and UP-MLE in most MDPs; on Swimmer slightly worse "
     "than UP-MLE; all produce reasonable gaits.",
     requests, render}};

}  // namespace
}  // namespace bpo::experiments
