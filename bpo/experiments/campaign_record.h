// What a campaign took. Every command keeps a file of its own, DIRECTORY/commands/*.json: what it
// was asked for, when it began, and for how long it has been heard of. Nobody else writes it, so
// commands may work beside each other, and a kill loses the time since a run was last heard of.
// results/campaign.json is made of these files alone: a part for every choice of items and series,
// with the commits of its runs and the time by the clock in which at least one command worked.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <vector>

#include "bpo/core/json.h"
#include "bpo/experiments/experiment.h"
#include "bpo/runs/campaign.h"

namespace bpo::experiments {

/// What is there of the tasks that one command named.
Json campaign_part(const std::vector<const Experiment*>& items,
                   const std::vector<std::string>& only, const std::vector<Task>& tasks,
                   int threads, const Scale& scale);

/// Writes a command's file while it makes its runs, and passes on what it hears of them.
class CommandRecord final : public CampaignLog {
 public:
  CommandRecord(const std::string& directory, Json part, CampaignLog& shown);
  ~CommandRecord() override;
  CommandRecord(const CommandRecord&) = delete;

  void begin(const Task& task) override;
  void heard(const Task& task, double share) override;
  void end(const Task& task, bool finished) override;

  /// What is there once the command has made its runs, and how many of them it made.
  void finish(Json part, std::size_t made);

 private:
  using Clock = std::chrono::steady_clock;
  void beat();
  void write();

  CampaignLog& shown_;
  const Clock::time_point began_ = Clock::now();
  Clock::time_point written_ = began_;
  std::mutex mutex_;
  std::string path_;
  Json command_;
};

/// The parts of DIRECTORY, as its commands tell them: each as its last command left it. Files that
/// are not a command's are passed over.
Json campaign_parts(const std::string& directory);

/// Writes them into DIRECTORY/results/campaign.json, and returns the one of the same choice.
Json write_campaign(const std::string& directory, const Json& part);

/// Puts the part into DIRECTORY/campaign.json in the place of an older one of the same choice.
void replace_part(const std::string& directory, const Json& part);

}  // namespace bpo::experiments
