// Progress of many runs at once, on standard error: which run begins, how far the ones under way
// are, and about how long it will take. "run 12 of 84, about 35 min left".
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "bpo/cli/campaign.h"
#include "bpo/cli/progress.h"
#include "bpo/core/log.h"

namespace bpo::cli {

class CampaignProgress {
 public:
  CampaignProgress(const std::vector<Task>& tasks, int threads, bool quiet);

  /// One run, from its beginning to the end of the object's life.
  class TaskLog final : public Log {
   public:
    TaskLog(CampaignProgress& all, const Task& task) : all_(all), task_(task) { all_.begin(task); }
    ~TaskLog() override { all_.end(task_, finished_); }
    void expect(std::int64_t iterations) { iterations_ = static_cast<double>(iterations); }
    void iteration(const Metrics& metrics) override {
      all_.heard(task_, static_cast<double>(metrics.iteration) / iterations_);
    }
    void message(const std::string&) override {}
    void finished() { finished_ = true; }

   private:
    CampaignProgress& all_;
    const Task& task_;
    double iterations_ = 1.0;
    bool finished_ = false;
  };

 private:
  struct State {
    Clock::time_point began;
    double share = 0.0;  // that is done
  };
  void begin(const Task& task);
  void heard(const Task& task, double share);
  void end(const Task& task, bool finished);
  /// By what the finished part took compared with what was expected.
  double seconds_left() const;

  mutable std::mutex mutex_;
  int threads_, total_, begun_ = 0;
  bool quiet_;
  double waiting_ = 0.0;                 // expected seconds of what has not begun
  double expected_ = 0.0, taken_ = 0.0;  // of what is finished
  std::map<const Task*, State> under_way_;
  Clock::time_point shown_;
};

}  // namespace bpo::cli
