#include "bpo/report/status_text.h"

#include <fmt/format.h>

#include "bpo/core/text.h"
#include "bpo/report/table.h"

namespace bpo::report {

std::string status_text(const std::vector<RunStatus>& all) {
  Rows rows{{"run", "state", "iteration", "steps/s", "trained", "left", "last heard", ""}};
  for (const RunStatus& run : all) {
    const bool runs = run.state == RunStatus::State::kRunning;
    rows.push_back(
        {run.directory, name_of(run.state), fmt::format("{}/{}", run.iteration, run.iterations),
         runs ? short_count(run.steps_per_s) : "", short_time(run.seconds),
         run.left() > 0 ? short_time(run.left()) : "", short_time(run.heard) + " ago",
         run.state == RunStatus::State::kFinished ? fmt::format("return {:.3f}", run.mean)
                                                  : run.why});
  }
  return aligned(rows, {2, 3, 4, 5, 6});
}

Json status_json(const std::vector<RunStatus>& all) {
  Json out = Json::array();
  for (const RunStatus& run : all) {
    out.push_back({{"run", run.directory},
                   {"state", name_of(run.state)},
                   {"why", run.why},
                   {"iteration", run.iteration},
                   {"iterations", run.iterations},
                   {"seconds", run.seconds},
                   {"steps_per_s", run.steps_per_s},
                   {"seconds_left", run.left()},
                   {"seconds_since_heard", run.heard}});
  }
  return out;
}

}  // namespace bpo::report
