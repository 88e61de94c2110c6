// Fig. 3: the same LightDark episode by each method. BPO goes to the light first.
#include <fmt/format.h>

#include "bpo/core/solver.h"
#include "bpo/experiments/paper_values.h"
#include "bpo/experiments/plan.h"
#include "bpo/experiments/sheet.h"
#include "bpo/report/room.h"

namespace bpo::experiments {
namespace {

constexpr std::int64_t kEpisode = 3;
const std::string kPlanner = "belief-ilqg";

Request shown(const std::string& method, const Scale& scale) {
  Request out{plan("lightdark", method, {}, scale), protocol("lightdark", scale)};
  out.protocol.episode = kEpisode;
  // It plans anew at every step, which is too slow for a quick look.
  if (method == kPlanner && scale.quick) out.protocol.episodes = scale.episodes.value_or(200);
  return out;
}

std::vector<PaperMethod> methods() {
  std::vector<PaperMethod> out;
  for (const PaperMethod& m : compared_methods()) {
    if (applies("lightdark", m.method)) out.push_back(m);
  }
  if (solvers().contains(kPlanner)) out.push_back({kPlanner, kPlanner + " (planner)"});
  return out;
}

std::vector<Request> requests(const Scale& scale) {
  std::vector<Request> out;
  for (const PaperMethod& m : methods()) out.push_back(shown(m.method, scale));
  return out;
}

void render(const Findings& findings, Sheet& sheet) {
  report::Rows rows{{"method", "this episode", "mean over seeds", "best seed", "paper, best seed"}};
  for (const PaperMethod& m : methods()) {
    const Group* f = findings.find(shown(m.method, findings.scale()));
    if (f == nullptr || !f->best().trace) continue;
    const auto paper = appendix_table("LightDark", m.method);
    const Trace& trace = *f->best().trace;
    const std::string who = fmt::format("{}, seed {}", m.name, f->best_seed()),
                      episode = fmt::format("Episode {} of the common evaluation", kEpisode);
    const report::RoomPanel panel = report::room_panel(trace, who, f->directory);
    sheet.figure(report::room_figure({&panel, 1}, episode, "room-" + m.method),
                 fmt::format("{}. {}.", who, episode), true);
    rows.push_back({m.name, fmt::format("{:.2f}", trace.total), seeds_cell(f), best_cell(f),
                    paper ? fmt::format("{:.1f} +- {:.1f}", paper->mean, paper->half) : "-"});
  }
  if (rows.size() == 1) return sheet.paragraph("Nothing was run.");
  sheet.table(rows, {1, 2, 3, 4});
  sheet.paragraph(
      "The true path, the filter's mean, and one standard deviation around it; the light is the "
      "vertical line. The paper's filter knows the noise at the true position; ours does not.");
}

const RegisterExperiment kLightDark{
    {4, "fig-lightdark", "Fig. 3: paths in LightDark",
     "BPO moves to the light to learn where it is, then to the goal; EPOpt and UP-MLE go straight.",
     requests, render}};

}  // namespace
}  // namespace bpo::experiments
