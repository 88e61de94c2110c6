#include "bpo/experiments/plan.h"

#include <algorithm>
#include <stdexcept>

#include "bpo/algorithms/train.h"
#include "bpo/core/solver.h"

namespace bpo::experiments {
namespace {

struct Row {
  const char* series;  // problem and its sets; a method only where it differs from the others
  double seconds;      // what a seed takes on one core
  std::vector<std::string> quick;
  int quick_seeds;
  double quick_seconds;
};

/// The table. For a series, the first row counts whose name begins the series' directory.
const std::vector<Row>& rows() {
  static const std::vector<std::string> kQuickRobot = {"algo.iterations=31",
                                                       "optimizer.batch_steps=1600"};
  static const std::vector<Row> kRows = {
      {"tiger/sarsop", 1, {}, 1, 1},
      {"tiger/", 5, {"algo.iterations=100"}, 3, 2},
      {"chain-bins=10-horizon=1000-", 4, {}, 3, 4},
      {"chain-tying=semi-horizon=1000-", 40, {}, 3, 40},
      {"chain-bins=3/", 22, {"algo.iterations=20"}, 1, 5},
      {"chain-bins=10/", 20, {"algo.iterations=20"}, 3, 5},
      {"chain-bins=100/", 55, {"algo.iterations=20"}, 1, 9},
      {"chain-bins=500/", 110, {"algo.iterations=20", "optimizer.batch_steps=50000"}, 1, 15},
      {"chain-bins=1000/", 150, {"algo.iterations=20", "optimizer.batch_steps=50000"}, 1, 25},
      {"chain-tying=semi/", 150, {"algo.iterations=20", "optimizer.batch_steps=50000"}, 1, 20},
      {"chain/", 20, {"algo.iterations=20"}, 1, 5},
      {"lightdark/belief-ilqg", 300, {}, 1, 15},
      {"lightdark/belief-dp", 10, {}, 1, 7},
      {"lightdark/told-position", 1, {}, 1, 1},
      {"lightdark-filter=moment/belief-dp", 10, {}, 1, 7},
      {"lightdark-filter=moment/told-position", 1, {}, 1, 1},
      {"lightdark-leak=true/belief-dp", 10, {}, 1, 7},
      {"lightdark-leak=true/told-position", 1, {}, 1, 1},
      {"lightdark/", 160, {"algo.iterations=60"}, 1, 35},
      {"lightdark-filter=moment/", 270, {"algo.iterations=20"}, 1, 15},
      {"lightdark-leak=true/", 160, {"algo.iterations=20"}, 1, 12},
      {"half-cheetah/bpo-minus", 90, kQuickRobot, 1, 3},
      {"half-cheetah/bpo", 122, kQuickRobot, 1, 4},
      {"half-cheetah/", 75, kQuickRobot, 1, 3},
      {"swimmer/bpo-minus", 60, kQuickRobot, 1, 2},
      {"swimmer/bpo", 95, kQuickRobot, 1, 3},
      {"swimmer/", 65, kQuickRobot, 1, 2},
      {"ant/bpo", 175, kQuickRobot, 1, 10},
      {"ant/", 140, kQuickRobot, 1, 9}};
  return kRows;
}

/// Ten for the methods that the verdict is about, five for the references around them. A planner's
/// policy has no seed, but for Perseus', whose beliefs are drawn.
int seeds_of(const std::string& method) {
  if (is_planner(method)) return method == "perseus" ? 3 : 1;
  return method == "epopt" || method == "trpo" || method == "oracle" ? 5 : 10;
}

bool is_robot(const std::string& problem) {
  const auto& all = paper_problems();
  return std::any_of(all.begin(), all.end(),
                     [&](const PaperProblem& p) { return p.robot && p.problem == problem; });
}

}  // namespace

bool is_planner(const std::string& method) {
  return solvers().at(method).kind == SolverKind::kPlanner;
}

void change(std::vector<std::string>& sets, const std::vector<std::string>& more) {
  for (const std::string& set : more) {
    const std::string key = set.substr(0, set.find('=') + 1);
    std::erase_if(sets, [&](const std::string& s) { return s.starts_with(key); });
    sets.push_back(set);
  }
}

bool applies(const std::string& problem, const std::string& method) {
  if (is_planner(method)) return problem == "tiger";  // the paper has SARSOP there
  if (algorithms().at(method).method.latents != LatentSource::kNominal) return true;
  Config config;
  return !problems().contains(problem) || problems().at(problem).resolve(config).has_nominal;
}

Series plan(const std::string& problem, const std::string& method, std::vector<std::string> sets,
            const Scale& scale) {
  Series series{problem, method, std::move(sets)};
  const std::string directory = series.directory();
  const auto row = std::find_if(rows().begin(), rows().end(),
                                [&](const Row& r) { return directory.starts_with(r.series); });
  if (row == rows().end()) throw std::logic_error("no row for " + directory);
  series.seconds = scale.quick ? row->quick_seconds : row->seconds;
  if (is_planner(method)) {  // the plan's changes are to trainings
    series.seeds = seeds_of(method);
    return series;
  }
  if (scale.quick) change(series.sets, row->quick);
  change(series.sets, scale.sets);
  series.seeds = scale.seeds.value_or(scale.quick ? row->quick_seeds : seeds_of(method));
  return series;
}

Protocol protocol(const std::string& problem, const Scale& scale) {
  // A robot's episode is two hundred simulated steps and as many updates of its belief.
  const bool robot = is_robot(problem);
  return {.episodes = scale.episodes.value_or(!robot        ? 5000
                                              : scale.quick ? 64
                                                            : 500),
          .exactness = robot ? Exactness::kNothing : Exactness::kValue};
}

Request perseus_on_chain(bool tied, const Scale& scale) {
  Request out{plan("chain", "perseus",
                   {tied ? "problem.bins=10" : "problem.tying=semi", "problem.horizon=1000",
                    "planner.beliefs=10000"},
                   scale),
              protocol("chain", scale)};
  out.protocol.sets = {"problem.slip=0.2", "problem.horizon=1000"};
  return out;
}

Request cell(const PaperProblem& problem, const std::string& method, const Scale& scale) {
  const bool blind = problem.problem == "chain" && !is_planner(method) &&
                     !sees_belief(algorithms().at(method).method.sees);
  const std::vector<std::string> sets =
      blind ? std::vector<std::string>{"problem.bins=10"} : problem.sets;
  return {plan(problem.problem, method, sets, scale), protocol(problem.problem, scale)};
}

}  // namespace bpo::experiments
