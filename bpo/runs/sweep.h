// A sweep: all runs of a file, made by any number of workers that share a directory. A worker
// claims a run (core/claim.h), makes it or goes on with it, and notes that it is done or why it
// failed, in DIR/.sweep. Runs that are done are left alone; a worker ends when all are done or
// failed, so it outlives workers that die.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "bpo/runs/campaign.h"
#include "bpo/runs/sweep_file.h"

namespace bpo {

struct Sweep {
  std::string out;
  std::vector<Task> tasks;
  std::vector<std::string> names;  // the tasks' names: chain-kl=0.01/bpo/seed-0

  /// Where claims and outcomes are.
  std::string notes() const { return out + "/.sweep"; }
};

/// Opens problems that are files; checks all settings, and builds and makes nothing.
Sweep open_sweep(const SweepFile& file, const std::string& out);

struct SweepWork {
  Shard shard;
  int threads = 1;
  double stale = 60.0;  // seconds
};

/// Makes what is not there yet, one run per thread. Ends early once `stop` is set; the claims of
/// runs under way are then free at once.
CampaignEnd work_on(const Sweep& sweep, const SweepWork& work, const std::atomic<bool>& stop,
                    CampaignLog& log);

/// Forgets failures, so that their runs are tried again; says how many there were.
std::size_t forget_failures(const Sweep& sweep);

enum class SweepState { kDone, kRunning, kFailed, kWaiting };
struct SweepRow {
  SweepState state = SweepState::kWaiting;
  std::string where;     // who has it or had it
  std::string why;       // it failed, or why it waits although somebody had it
  double seconds = 0.0;  // how long the run took
};
/// What the notes say of each task. An owner that has been silent for longer than `stale` seconds,
/// by the times of files, is told as gone: its run waits.
std::vector<SweepRow> status_of(const Sweep& sweep, double stale);

}  // namespace bpo
