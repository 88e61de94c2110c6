// Fig. 4: Ant. (a) BPO and nominal TRPO where one front leg is 20 % longer and the other 20 %
// shorter than the mean that TRPO trained on; (b) entropy of the belief under BPO and UP-MLE;
// (c) the belief at t = 20 of one BPO episode.
#include <fmt/format.h>

#include <utility>

#include "bpo/experiments/plan.h"
#include "bpo/experiments/sheet.h"
#include "bpo/report/belief.h"

namespace bpo::experiments {
namespace {

constexpr int kTime = 20;

Request own_world(const std::string& method, const Scale& scale) {
  Request out{plan("ant", method, {}, scale), protocol("ant", scale)};
  out.protocol.curves = true;
  out.protocol.episode = 0;
  return out;
}

Request uneven_legs(const std::string& method, const Scale& scale) {
  Request out = own_world(method, scale);
  out.protocol.sets = {"problem.first=1.2", "problem.second=0.8"};
  return out;
}

std::vector<Request> requests(const Scale& scale) {
  return {own_world("bpo", scale), own_world("up-mle", scale), uneven_legs("bpo", scale),
          uneven_legs("trpo", scale)};
}

/// The mean of a curve over the seeds, with a band where there are enough.
report::Line line(const std::string& name, const Group& f, std::vector<double> Curves::*which,
                  int first_time) {
  report::Line out{.name = name, .x = {}, .y = {}};
  const std::size_t steps = ((*f.runs[0].curves).*which).size();
  for (std::size_t t = 0; t < steps; ++t) {
    std::vector<double> values;
    for (const Measurement& m : f.runs) values.push_back(((*m.curves).*which)[t]);
    add_point(out, static_cast<double>(t) + first_time, values);
  }
  return out;
}

/// The returns of BPO and of nominal TRPO on uneven legs.
report::Table table(const Findings& findings) {
  const Group* bpo = findings.find(uneven_legs("bpo", findings.scale()));
  const Group* trpo = findings.find(uneven_legs("trpo", findings.scale()));
  return {{{"method", "mean over seeds", "best seed", "BPO - this"},
           {"BPO", seeds_cell(bpo), best_cell(bpo), "-"},
           {"TRPO on the mean", seeds_cell(trpo), best_cell(trpo), difference_cell(bpo, trpo)}},
          {1, 2, 3}};
}

void render_uneven(const Findings& findings, Sheet& sheet) {
  const Group* bpo = findings.find(uneven_legs("bpo", findings.scale()));
  const Group* trpo = findings.find(uneven_legs("trpo", findings.scale()));
  if (bpo == nullptr || trpo == nullptr) return;
  report::LineChart chart{.title = "(a) One leg 20 % longer, one 20 % shorter",
                          .x_label = "step",
                          .y_label = "return so far",
                          .lines = {}};
  chart.lines = {line("BPO", *bpo, &Curves::so_far, 1), line("TRPO", *trpo, &Curves::so_far, 1)};
  sheet.figure(draw(chart), "Return so far with factors (1.2, 0.8), mean over seeds and episodes.");
  sheet.table(table(findings));
  for (const auto& [finding, name] : {std::pair(bpo, "BPO"), std::pair(trpo, "TRPO")}) {
    const Trace& trace = *finding->best().trace;
    sheet.replay(report::replay_of(trace, name),
                 fmt::format("{}, seed {}: one episode on uneven legs, return {:.1f}", name,
                             finding->best_seed(), trace.total));
  }
}

void render_entropy(const Findings& findings, Sheet& sheet) {
  report::LineChart chart{
      .title = "(b) Entropy of the belief", .x_label = "step", .y_label = "nats", .lines = {}};
  report::Rows rows{{"method", "entropy at t = 1", "t = 5", "t = 20"}};
  for (const char* method : {"bpo", "up-mle"}) {
    const Group* f = findings.find(own_world(method, findings.scale()));
    if (f == nullptr) continue;
    const std::string name = std::string(method) == "bpo" ? "BPO" : "UP-MLE";
    report::Line curve = line(name, *f, &Curves::entropy, 0);
    const auto at = [&](std::size_t t) {
      return t < curve.y.size() ? fmt::format("{:.3f}", curve.y[t]) : "-";
    };
    rows.push_back({name, at(1), at(5), at(kTime)});
    chart.lines.push_back(std::move(curve));
  }
  if (chart.lines.empty()) return;
  sheet.figure(draw(chart), "Mean over seeds and episodes; a uniform belief has 3.22 nats.");
  sheet.table(rows, {1, 2, 3});
}

void render_belief(const Findings& findings, Sheet& sheet) {
  const Group* bpo = findings.find(own_world("bpo", findings.scale()));
  const Trace& trace = *bpo->best().trace;
  if (trace.moments.size() <= kTime) return;
  const Sight& sight = trace.moments[kTime].sight;
  report::HeatMap map = report::joint_belief(trace, sight);
  map.title = "(c) Belief at t = 20";
  sheet.figure(draw(map),
               fmt::format("One episode of BPO's seed {}; the true factors are ({:.3f}, {:.3f}).",
                           bpo->best_seed(), sight.latent[0], sight.latent[1]));
}

void render(const Findings& findings, Sheet& sheet) {
  if (findings.find(own_world("bpo", findings.scale())) == nullptr) {
    return sheet.paragraph("Nothing was run: this program was built without MuJoCo.");
  }
  render_uneven(findings, sheet);
  render_entropy(findings, sheet);
  render_belief(findings, sheet);
}

/// The entropies of (b): by method, the mean over seeds and episodes at t = 0, 1, 2, ...
Json numbers(const Findings& findings) {
  Json out = Json::object();
  for (const char* method : {"bpo", "up-mle"}) {
    const Group* f = findings.find(own_world(method, findings.scale()));
    if (f != nullptr) out["belief_entropy"][method] = line(method, *f, &Curves::entropy, 0).y;
  }
  return out;
}

const RegisterExperiment kAnt{
    {5, "fig-ant", "Fig. 4: Ant with unknown legs",
     "BPO walks on legs that nominal TRPO did not train on, and its belief collapses sooner than "
     "UP-MLE's, into a single cell by t = 20.",
     requests, render, table, numbers}};

}  // namespace
}  // namespace bpo::experiments
