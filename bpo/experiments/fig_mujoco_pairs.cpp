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
    {"epopt", "EPOpt"}, {"up-mle", "UP-MLE"}, {"trpo", "TRPO"}, {"dr", "DR"}};

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

/// A robot's MDPs under BPO and a baseline: returns, means over the seeds, one per MDP.
struct Pair {
  const PaperProblem& robot;
  const PaperMethod& baseline;
  const Group &bpo, &base;
  std::vector<double> y = bpo.returns(), x = base.returns();

  std::size_t bpo_better() const {
    std::size_t count = 0;
    for (std::size_t e = 0; e < x.size(); ++e) count += y[e] > x[e];
    return count;
  }
  report::Mean gap() const { return report::paired_difference(y, x); }
};

std::vector<Pair> pairs(const Findings& findings) {
  static const std::vector<PaperProblem> kRobots = robots();
  std::vector<Pair> out;
  for (const PaperProblem& p : kRobots) {
    const Group* bpo = findings.find(cell(p, "bpo", findings.scale()));
    for (const PaperMethod& m : kBaselines) {
      const Group* base = findings.find(cell(p, m.method, findings.scale()));
      if (bpo != nullptr && base != nullptr) out.push_back({p, m, *bpo, *base});
    }
  }
  return out;
}

void draw_pair(const Pair& pair, Sheet& sheet) {
  report::Cloud better{.name = "BPO better", .x = {}, .y = {}};
  report::Cloud worse{.name = pair.baseline.name + " better", .x = {}, .y = {}};
  for (std::size_t e = 0; e < pair.x.size(); ++e) {
    report::Cloud& cloud = pair.y[e] > pair.x[e] ? better : worse;
    cloud.x.push_back(pair.x[e]);
    cloud.y.push_back(pair.y[e]);
  }
  const report::ScatterChart chart{
      .title = fmt::format("{}: BPO against {}", pair.robot.name, pair.baseline.name),
      .x_label = pair.baseline.name,
      .y_label = "BPO",
      .clouds = {std::move(better), std::move(worse)}};
  sheet.figure(draw(chart), fmt::format("{}: each dot is one latent MDP.", pair.robot.name));
}

/// In how many MDPs BPO is better, and by how much.
Json numbers(const Findings& findings) {
  Json out = Json::array();
  for (const Pair& pair : pairs(findings)) {
    const report::Mean gap = pair.gap();
    out.push_back({{"problem", pair.robot.problem},
                   {"baseline", pair.baseline.method},
                   {"mdps", pair.x.size()},
                   {"bpo_better", pair.bpo_better()},
                   {"bpo_minus_baseline", gap.mean},
                   {"ci95_over_mdps", gap.half}});
  }
  return out;
}

/// A problem or a method as the paper names it.
template <class All>
std::string paper_name(const All& all, std::string All::value_type::*key, const Json& entry) {
  const std::string wanted = entry.get<std::string>();
  for (const auto& one : all) {
    if (one.*key == wanted) return one.name;
  }
  return wanted;
}

std::int64_t count(const Json& value) {
  if (value.is_number_integer()) return value.get<std::int64_t>();
  throw Json::type_error::create(302, "counts must be whole numbers", &value);
}

report::Table numbers_table(const Json& numbers) {
  report::Table out{{{"robot", "baseline", "MDPs where BPO is better", "BPO - baseline, paired"}},
                    {2, 3}};
  for (const Json& pair : numbers) {
    out.rows.push_back(
        {paper_name(robots(), &PaperProblem::problem, pair.at("problem")),
         paper_name(kBaselines, &PaperMethod::method, pair.at("baseline")),
         fmt::format("{} of {}", count(pair.at("bpo_better")), count(pair.at("mdps"))),
         fmt::format("{:.2f} +- {:.2f}", pair.at("bpo_minus_baseline").get<double>(),
                     pair.at("ci95_over_mdps").get<double>())});
  }
  return out;
}

void render(const Findings& findings, Sheet& sheet) {
  report::Rows rows = numbers_table(numbers(findings)).rows;
  for (const char* more : {"over seeds", "paper: BPO", "paper: baseline"}) {
    rows.front().push_back(more);
  }
  const auto paper_cell = [](const PaperProblem& p, const std::string& method) {
    const auto value = appendix_table(p.name, method);
    return value ? fmt::format("{:.1f}", value->mean) : "-";
  };
  std::size_t row = 0;
  for (const Pair& pair : pairs(findings)) {
    auto& cells = rows[++row];
    cells.push_back(difference_cell(&pair.bpo, &pair.base));
    cells.push_back(paper_cell(pair.robot, "bpo"));
    cells.push_back(paper_cell(pair.robot, pair.baseline.method));
    draw_pair(pair, sheet);
  }
  if (rows.size() == 1) {
    return sheet.paragraph("Nothing was run: this program was built without MuJoCo.");
  }
  sheet.table(rows, {2, 3, 4, 5, 6});
  sheet.paragraph(
      "The paired interval is over MDPs, of means over seeds: it says nothing about other seeds.");
}

const RegisterExperiment kPairs{
    {.place = 6,
     .name = "fig-mujoco-pairs",
     .title = "Fig. 5: BPO against each baseline, robot by robot",
     .paper =
         "On HalfCheetah BPO is better than EPOpt and UP-MLE in most MDPs; on Swimmer slightly "
         "worse than UP-MLE; all produce reasonable gaits.",
     .requests = requests,
     .render = render,
     .numbers = numbers,
     .numbers_table = numbers_table}};

}  // namespace
}  // namespace bpo::experiments
