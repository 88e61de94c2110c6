// Many runs, made side by side: each is trained, resumed or reused, and measured. A run takes one
// thread as long as there are more runs than threads, for that is what keeps them all busy; the
// number of threads does not change a bit of any run.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "bpo/core/log.h"
#include "bpo/core/parallel.h"
#include "bpo/runs/group.h"
#include "bpo/runs/series.h"

namespace bpo {

/// One seed of a series and all that is to be measured of it.
struct Task {
  Series series;
  std::int64_t seed = 0;
  std::vector<Protocol> protocols;
  std::string directory;
};

/// The runs that the requests need, each once. Of two protocols with the same episodes the one that
/// wants more counts.
std::vector<Task> tasks_of(const std::vector<Request>& requests, const std::string& out);

struct Shard {
  int index = 1, count = 1;
};
/// Reads "2/4"; anything else is bad_input.
Shard read_shard(const std::string& text);
/// Its share of the tasks: the same for every shard that is asked, and of about equal cost.
std::vector<Task> share_of(std::vector<Task> tasks, const Shard& shard);

/// Throws bad_input where a setting is wrong or the directory holds a run with other settings.
void check_settings(const Task& task);

/// Whether the run is finished and everything has been measured.
bool is_done(const Task& task);

/// Hears of all runs at once, from the threads that make them.
class CampaignLog {
 public:
  virtual ~CampaignLog() = default;
  virtual void begin(const Task& task) = 0;
  /// How much of its training is done.
  virtual void heard(const Task& task, double share) = 0;
  virtual void end(const Task& task, bool finished) = 0;
};

/// One of the runs, from its beginning to the end of the object's life.
class TaskLog final : public Log {
 public:
  TaskLog(CampaignLog& all, const Task& task) : all_(all), task_(task) { all_.begin(task); }
  ~TaskLog() override { all_.end(task_, finished_); }
  void expect(std::int64_t iterations) { iterations_ = static_cast<double>(iterations); }
  void iteration(const Metrics& metrics) override {
    all_.heard(task_, static_cast<double>(metrics.iteration) / iterations_);
  }
  void message(const std::string&) override {}
  void finished() { finished_ = true; }

 private:
  CampaignLog& all_;
  const Task& task_;
  double iterations_ = 1.0;
  bool finished_ = false;
};

/// Trains the task's run, or goes on with it, and writes its result. False when it was stopped. A
/// training that diverged keeps its best policy, and says so.
bool make_run(const Task& task, const std::atomic<bool>& stop, TaskLog& log, ThreadPool& pool);

struct CampaignEnd {
  bool interrupted = false;
  std::vector<std::string> locked;  // runs that another process is making
  std::size_t made = 0;             // runs that were finished and measured
  int threads = 1;
  double seconds = 0.0;  // by the clock on the wall
};

/// Ends early once `stop` is set.
CampaignEnd run_tasks(const std::vector<Task>& tasks, int threads, const std::atomic<bool>& stop,
                      CampaignLog& log);

/// What was found by one request's tasks.
struct Gathered {
  Request request;
  Group group;  // its directory is the series'
};
/// Gathers what tasks found by series and protocol; the tasks are all done.
std::vector<Gathered> gather(const std::vector<Task>& tasks);

}  // namespace bpo
