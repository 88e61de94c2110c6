// Many runs, made side by side: each is trained, resumed or reused, and looked at. A run takes one
// thread as long as there are more runs than threads, for that is what keeps them all busy; the
// number of threads does not change a bit of any run.
#pragma once

#include <string>
#include <vector>

#include "bpo/experiments/findings.h"

namespace bpo::cli {

/// One seed of a series and all that is to be seen of it.
struct Task {
  experiments::Series series;
  std::int64_t seed = 0;
  std::vector<experiments::Look> looks;
  std::string directory;
};

/// The runs that the requests need, each once. Of two looks at the same episodes the one that shows
/// more counts.
std::vector<Task> tasks_of(const std::vector<experiments::Request>& requests,
                           const std::string& out);

struct Shard {
  int index = 1, count = 1;
};
/// Its share of the tasks: the same for every shard that is asked, and of about equal cost.
std::vector<Task> share_of(std::vector<Task> tasks, const Shard& shard);

/// Whether the run is finished and everything has been measured. Throws bad_input when the
/// directory holds a run with other settings.
bool is_done(const Task& task);

/// Whether its training broke off.
bool is_diverged(const Task& task);

struct CampaignEnd {
  bool interrupted = false;
  std::vector<std::string> locked;  // runs that another process is making
};

CampaignEnd run_tasks(const std::vector<Task>& tasks, int threads, bool quiet);

/// What was found by tasks that are all done.
experiments::Findings gather(const std::vector<Task>& tasks, const experiments::Scale& scale);

}  // namespace bpo::cli
