#include "bpo/runs/imported.h"

#include <utility>

#include "bpo/agent/appl_policy.h"
#include "bpo/agent/bundle.h"
#include "bpo/core/file.h"
#include "bpo/core/problem_file.h"
#include "bpo/planners/planner.h"
#include "bpo/runs/run.h"
#include "bpo/runs/settings.h"

namespace bpo {
namespace {

constexpr std::size_t kMostPolicyBytes = std::size_t{1} << 31;
constexpr const char* kName = "appl";

/// The sum over what is seen first of what the best vector says; x is drawn, then y.
double claimed_value(const TabularModel& m, const VectorSets& vectors) {
  double out = 0.0;
  for (int x = 0; x < m.visible; ++x) {
    const auto of_x = std::span(m.initial).subspan(std::size_t(x) * m.hidden(), m.hidden());
    out += vectors.best(x, of_x).value;
  }
  return out;
}

struct NoOptions {
  void visit(OptionVisitor&) {}
};

SolverEntry entry() {
  SolverEntry out = planner_entry<NoOptions>(
      kName, "a policy that APPL planned; `bpo import-policy` makes a run of it",
      [](const AnyProblem&, const NoOptions&) -> std::unique_ptr<Policy> {
        throw bad_input(
            "appl plans nothing itself; `bpo import-policy PROBLEM FILE.policy --out RUN` makes a "
            "run of what APPL planned, for `bpo eval` and `bpo play`");
      });
  out.keeps_policy = true;
  return out;
}

const RegisterPlanner kImportedPlanner{entry()};

}  // namespace

Imported import_policy(const std::string& problem, const std::string& policy,
                       const std::string& out, const std::vector<std::string>& sets, bool force) {
  Config config = config_of(sets, "problem.");
  config.set("run.problem=" + open_problem(problem));
  config.set(std::string("run.algorithm=") + kName);
  const RunPlan plan = make_plan(std::move(config));
  const auto tables = plan.problem->tabular();
  if (tables == nullptr) {
    throw bad_input(problem + ": is not finite, and APPL's policies are for finite problems");
  }
  const AlphaShape shape{tables->hidden(), tables->visible, 0};
  auto vectors = std::make_shared<VectorSets>(read_appl_policy(
      read_file(policy, kMostPolicyBytes, Links::kFollowed), policy, shape, tables->actions));
  const Imported result{vectors->total(), claimed_value(*tables, *vectors)};
  const AlphaPolicy loaded(BeliefReader(plan.problem->spec(), shape, policy), std::move(vectors),
                           tables->actions);
  const std::string bytes = bundle_of(loaded, *plan.problem, plan.toml, plan.run).serialize();
  RunFiles files = RunFiles::claim(out, force);
  begin_run(files, plan.toml, plan.run.problem);
  files.write("policy.safetensors", bytes);
  return result;
}

}  // namespace bpo
