#include "bpo/runs/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <mutex>

#include "bpo/core/ranks.h"
#include "bpo/runs/cache.h"
#include "bpo/runs/result.h"
#include "bpo/runs/seeds.h"

namespace bpo {
namespace {

constexpr double kCheckpointSeconds = 20.0;

Config settings_of(const Task& task) {
  Config config;
  for (const std::string& set : task.series.sets) config.set(set);
  config.set("run.problem=" + task.series.problem);
  config.set("run.algorithm=" + task.series.method);
  config.set(fmt::format("run.seed={}", task.seed));
  return config;
}

bool is_made(const Task& task) {
  return is_run(task.directory) && stored_result(task.directory).has_value();
}

/// Once `stop` is set it ends by Interrupted.
void measure_all(const Task& task, const std::atomic<bool>& stop, ThreadPool& pool) {
  const Interruptible interruptible(pool, stop);
  for (const Protocol& protocol : task.protocols) {
    if (!recall(task.directory, protocol)) measure_and_remember(task.directory, protocol, pool);
  }
}

void merge(const Protocol& more, std::vector<Protocol>& protocols) {
  const auto same = std::find_if(protocols.begin(), protocols.end(),
                                 [&](const Protocol& p) { return p.name() == more.name(); });
  if (same == protocols.end()) {
    protocols.push_back(more);
    return;
  }
  same->exactness = std::max(same->exactness, more.exactness);
  same->curves |= more.curves;
  if (more.episode) same->episode = more.episode;
}

Measurement found(const Task& task, const Protocol& protocol) {
  Measurement out = *recall(task.directory, protocol);
  out.run = {task.series.problem, task.series.method, task.seed};
  out.diverged = divergence(task.directory);
  const Measurement stored = *stored_result(task.directory);
  out.machine = stored.machine;
  out.training = stored.training;
  return out;
}

}  // namespace

std::vector<Task> tasks_of(const std::vector<Request>& requests, const std::string& out) {
  std::map<std::string, std::size_t> index;
  std::vector<Task> tasks;
  for (const Request& request : requests) {
    const std::string parent = out + "/" + request.series.directory();
    const std::int64_t first = request.series.first_seed;
    for (std::int64_t seed = first; seed < first + request.series.seeds; ++seed) {
      const std::string directory = seed_directory(parent, seed);
      const auto [at, is_new] = index.emplace(directory, tasks.size());
      if (is_new) tasks.push_back({request.series, seed, {}, directory});
      merge(request.protocol, tasks[at->second].protocols);
    }
  }
  // The longest first: whoever comes last should not have to wait for them.
  std::stable_sort(tasks.begin(), tasks.end(), [](const Task& a, const Task& b) {
    return a.series.seconds > b.series.seconds;
  });
  return tasks;
}

bool make_run(const Task& task, const std::atomic<bool>& stop, TaskLog& log, ThreadPool& pool) {
  if (is_made(task)) return true;
  const auto run = open_run(task.directory, settings_of(task), /*force=*/false, pool);
  log.expect(run->plan().solver->iterations());
  try {
    if (run->solve({.stop = &stop}, kCheckpointSeconds, log) != Run::End::kFinished) return false;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kDiverged) throw;
  }
  // The figures are measured on common episodes; the run's own need not be as many.
  const std::int64_t episodes =
      task.protocols.empty() ? 0 : std::max<std::int64_t>(1, task.protocols.front().episodes / 5);
  write_result(*run, usual_protocol(*run, episodes), stop, log, pool);
  return true;
}

Shard read_shard(const std::string& text) {
  Shard shard;
  int used = 0;
  if (std::sscanf(text.c_str(), "%d/%d%n", &shard.index, &shard.count, &used) != 2 ||
      used != static_cast<int>(text.size()) || shard.index < 1 || shard.index > shard.count ||
      shard.count > 100000) {
    throw bad_input(
        fmt::format("--shard {}: must be i/N with 1 <= i <= N, as 2/4", text.substr(0, 40)));
  }
  return shard;
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
  const std::string toml = resolved_toml(settings_of(task));
  if (!is_run(task.directory)) return;
  // What is there is resolved as well: there may be new options.
  if (toml == resolved_toml(load_config(task.directory))) return;
  throw bad_input(fmt::format(
      "{}: holds a run with other settings; remove it or choose another --out", task.directory));
}

bool is_done(const Task& task) {
  return is_made(task) &&
         std::all_of(task.protocols.begin(), task.protocols.end(), [&](const Protocol& protocol) {
           return recall(task.directory, protocol).has_value();
         });
}

CampaignEnd run_tasks(const std::vector<Task>& tasks, int threads, const std::atomic<bool>& stop,
                      CampaignLog& log) {
  const auto start = std::chrono::steady_clock::now();
  CampaignEnd end{.threads = threads};
  std::atomic<bool> failed = false;
  std::mutex mutex;
  // Ranks make one run after another, all at the same.
  const int most = comm().size() > 1 ? 1 : threads;
  const int workers = std::clamp<int>(static_cast<int>(tasks.size()), 1, most);
  ThreadPool outer(workers);
  outer.run(static_cast<int>(tasks.size()), [&](int k, int) {
    if (any_rank(stop) || failed) return;
    const Task& task = tasks[static_cast<std::size_t>(k)];
    ThreadPool inner(std::max(1, threads / workers));
    TaskLog task_log(log, task);
    try {
      if (!make_run(task, stop, task_log, inner)) return;
      measure_all(task, stop, inner);
      task_log.finished();
      const std::lock_guard lock(mutex);
      ++end.made;
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
  end.interrupted = any_rank(stop);
  end.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return end;
}

std::vector<Gathered> gather(const std::vector<Task>& tasks) {
  struct Seeds {
    Gathered found;
    std::vector<std::string> directories;
  };
  std::map<std::pair<std::string, std::string>, Seeds> all;
  for (const Task& task : tasks) {  // the seeds of a series come in order
    for (const Protocol& protocol : task.protocols) {
      const std::string series = task.series.directory();
      Seeds& seeds = all[{series, protocol.name()}];
      if (seeds.directories.empty()) {
        seeds.found = {{task.series, protocol}, {.directory = series}};
      }
      seeds.found.group.runs.push_back(found(task, protocol));
      seeds.directories.push_back(task.directory);
    }
  }
  std::vector<Gathered> out;
  for (auto& [key, seeds] : all) {
    Group& group = seeds.found.group;
    const Protocol& protocol = seeds.found.request.protocol;
    const std::size_t best = group.best_seed();
    if (protocol.episode) group.runs[best].trace = trace_of(seeds.directories[best], protocol);
    out.push_back(std::move(seeds.found));
  }
  return out;
}

}  // namespace bpo
