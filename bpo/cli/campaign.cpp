#include "bpo/cli/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>

#include "bpo/algorithms/planned.h"
#include "bpo/cli/campaign_progress.h"
#include "bpo/cli/measure.h"
#include "bpo/cli/measured.h"
#include "bpo/cli/seeds.h"
#include "bpo/cli/signals.h"
#include "bpo/cli/training.h"

namespace bpo::cli {
namespace {

using experiments::Finding;
using experiments::Look;
using experiments::Measured;
using experiments::Series;

constexpr double kCheckpointSeconds = 20.0;

Config config_of(const Task& task) {
  Config config;
  for (const std::string& set : task.series.sets) config.set(set);
  config.set("run.problem=" + task.series.problem);
  config.set("run.algorithm=" + task.series.method);
  config.set(fmt::format("run.seed={}", task.seed));
  return config;
}

bool is_made(const Task& task) {
  return is_run(task.directory) &&
         (task.series.planned() || stored_result(task.directory).has_value());
}

/// A training that diverged keeps its best policy, and the page says so.
bool train(const Task& task, CampaignProgress::TaskLog& log, ThreadPool& pool) {
  const std::unique_ptr<Run> run = is_run(task.directory)
                                       ? Run::resume(task.directory, pool)
                                       : Run::create(task.directory, make_plan(config_of(task)),
                                                     /*force=*/false, pool);
  log.expect(run->plan().setup.train.iterations);
  try {
    if (train_run(*run, kCheckpointSeconds, log) == Run::End::kInterrupted) return false;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kDiverged) throw;
  }
  // The page's figures are measured on common episodes; the run's own need not be as many.
  write_result(*run, std::max<std::int64_t>(1, task.looks.front().episodes / 5), /*quiet=*/true,
               pool);
  return true;
}

/// False when a signal stopped it.
bool make(const Task& task, CampaignProgress::TaskLog& log, ThreadPool& pool) {
  if (is_made(task)) return true;
  if (!task.series.planned()) return train(task, log, pool);
  RunFiles::claim(task.directory, /*force=*/false).begin(resolved_toml(config_of(task)));
  return true;
}

/// A signal ends it by Interrupted.
void look_at(const Task& task, const std::atomic<bool>& stop, ThreadPool& pool) {
  const Interruptible interruptible(pool, stop);
  for (const Look& look : task.looks) {
    if (!recall(task.directory, look)) measure_and_remember(task.directory, look, pool);
  }
}

void merge(const Look& more, std::vector<Look>& looks) {
  const auto same = std::find_if(looks.begin(), looks.end(),
                                 [&](const Look& l) { return l.name() == more.name(); });
  if (same == looks.end()) {
    looks.push_back(more);
    return;
  }
  same->exact |= more.exact;
  same->curves |= more.curves;
  if (more.episode) same->episode = more.episode;
}

Measured found(const Task& task, const Look& look) {
  Measured out = *recall(task.directory, look);
  out.diverged = is_diverged(task);
  out.machine = task.series.planned() ? this_machine() : stored_result(task.directory)->machine;
  return out;
}

}  // namespace

std::vector<Task> tasks_of(const std::vector<experiments::Request>& requests,
                           const std::string& out) {
  std::map<std::string, std::size_t> index;
  std::vector<Task> tasks;
  for (const experiments::Request& request : requests) {
    const std::string parent = out + "/" + request.series.directory();
    for (std::int64_t seed = 0; seed < request.series.seeds; ++seed) {
      const std::string directory = seed_directory(parent, seed);
      const auto [at, is_new] = index.emplace(directory, tasks.size());
      if (is_new) tasks.push_back({request.series, seed, {}, directory});
      merge(request.look, tasks[at->second].looks);
    }
  }
  // The longest first: whoever comes last should not have to wait for them.
  std::stable_sort(tasks.begin(), tasks.end(), [](const Task& a, const Task& b) {
    return a.series.seconds > b.series.seconds;
  });
  return tasks;
}

std::vector<Task> share_of(std::vector<Task> tasks, const Shard& shard) {
  std::vector<double> load(static_cast<std::size_t>(shard.count), 0.0);
  std::vector<Task> out;
  for (Task& task : tasks) {
    const auto least = std::min_element(load.begin(), load.end());
    *least += task.series.seconds;
    if (least - load.begin() == shard.index - 1) out.push_back(std::move(task));
  }
  return out;
}

void check_settings(const Task& task) {
  const std::string toml = resolved_toml(config_of(task));
  if (!is_run(task.directory)) return;
  // What is there is resolved as well: there may be new options.
  if (toml == resolved_toml(load_config(task.directory))) return;
  throw bad_input(fmt::format(
      "{}: holds a run with other settings; remove it or choose another --out", task.directory));
}

bool is_done(const Task& task) {
  return is_made(task) && std::all_of(task.looks.begin(), task.looks.end(), [&](const Look& look) {
           return recall(task.directory, look).has_value();
         });
}

bool is_diverged(const Task& task) { return divergence(task.directory).has_value(); }

CampaignEnd run_tasks(const std::vector<Task>& tasks, int threads, bool quiet) {
  CampaignEnd end;
  const std::atomic<bool>& stop = *stop_on_signal();
  std::atomic<bool> failed = false;
  std::mutex mutex;
  CampaignProgress progress(tasks, threads, quiet);
  const int workers = std::clamp<int>(static_cast<int>(tasks.size()), 1, threads);
  ThreadPool outer(workers);
  outer.run(static_cast<int>(tasks.size()), [&](int k, int) {
    if (stop || failed) return;
    const Task& task = tasks[static_cast<std::size_t>(k)];
    ThreadPool inner(std::max(1, threads / workers));
    CampaignProgress::TaskLog log(progress, task);
    try {
      if (!make(task, log, inner)) return;
      look_at(task, stop, inner);
      log.finished();
    } catch (const Interrupted&) {
      return;  // `stop` tells
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kLocked) {
        failed = true;
        throw;
      }
      const std::lock_guard lock(mutex);
      end.locked.push_back(task.directory);
    }
  });
  end.interrupted = stop;
  return end;
}

experiments::Findings gather(const std::vector<Task>& tasks, const experiments::Scale& scale) {
  struct Gathered {
    Finding finding;
    std::vector<std::string> directories;
  };
  std::map<std::pair<std::string, std::string>, Gathered> all;
  for (const Task& task : tasks) {  // the seeds of a series come in order
    for (const Look& look : task.looks) {
      Gathered& g = all[{task.series.directory(), look.name()}];
      if (g.directories.empty()) g.finding = {task.series, look, {}};
      g.finding.runs.push_back(found(task, look));
      g.directories.push_back(task.directory);
    }
  }
  experiments::Findings out(scale);
  for (auto& [key, g] : all) {
    const std::size_t best = g.finding.best_seed();
    if (g.finding.look.episode) {
      g.finding.runs[best].trace = trace_of(g.directories[best], g.finding.look);
    }
    out.add(std::move(g.finding));
  }
  return out;
}

}  // namespace bpo::cli
