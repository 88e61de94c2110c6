#include "bpo/runs/loaded.h"

#include <utility>

#include "bpo/runs/planned.h"
#include "bpo/runs/seeds.h"
#include "bpo/runs/settings.h"

namespace bpo {
LoadedPolicy load_run(const std::string& directory, const std::vector<std::string>& sets,
                      bool greedy) {
  const Config changes = config_of(sets, "problem.");
  Config config = load_config(directory);
  if (is_planned(config)) {
    const std::string settings = config.hash();
    config.merge(changes);
    PlannedRun planned = make_planned(std::move(config));
    planned.run.settings = settings;
    return {directory, planned.run, std::move(planned.problem), std::move(planned.policy),
            false,     planned.toml};
  }
  RunIdentity run;
  config.read("run", run);
  run.settings = config.hash();
  LoadedPolicy out = open_bundle(policy_path(directory), changes, greedy, &run);
  out.directory = directory;
  return out;
}

std::vector<LoadedPolicy> load_runs(const std::string& directory,
                                    const std::vector<std::string>& sets, bool greedy) {
  std::vector<LoadedPolicy> out;
  for (const std::string& run : runs_of(directory)) {
    out.push_back(load_run(run, sets, greedy));
    check_one_training(out.front(), out.back());
  }
  return out;
}

}  // namespace bpo
