#include "bpo/runs/planned.h"

#include "bpo/planners/planner.h"
#include "bpo/runs/run_files.h"

namespace bpo {

bool is_planned(Config config) {
  RunIdentity run;
  config.read("run", run);
  return planners().contains(run.algorithm);
}

PlannedRun make_planned(Config config) {
  PlannedRun out;
  config.read("run", out.run);
  const ResolvedProblem problem = problems().at(out.run.problem).resolve(config);
  const PlannerEntry::Build plan = planners().at(out.run.algorithm).resolve(config);
  config.finish();
  out.problem = problem.build();
  out.policy = plan(*out.problem);
  out.toml = config.to_toml();
  out.run.settings = settings_hash(out.toml);
  return out;
}

}  // namespace bpo
