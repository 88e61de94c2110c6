// Progress of many runs at once, on standard error: which run begins, how far the ones under way
// are, and about how long it will take. "run 12 of 84, about 35 min left".
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "bpo/runs/campaign.h"
#include "bpo/terminal/progress.h"

namespace bpo::terminal {

class CampaignProgress final : public CampaignLog {
 public:
  CampaignProgress(const std::vector<Task>& tasks, int threads, bool quiet);

  void begin(const Task& task) override;
  void heard(const Task& task, double share) override;
  void end(const Task& task, bool finished) override;

 private:
  struct State {
    Clock::time_point began;
    double share = 0.0;  // how much of it is done
  };
  /// Estimated by what the finished part took compared with what was expected of it.
  double seconds_left() const;

  mutable std::mutex mutex_;
  int threads_, total_, begun_ = 0;
  bool quiet_;
  double waiting_ = 0.0;                 // expected seconds of what has not begun
  double expected_ = 0.0, taken_ = 0.0;  // seconds of finished runs
  std::map<const Task*, State> under_way_;
  Clock::time_point shown_;
};

}  // namespace bpo::terminal
