#include "bpo/runs/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <mutex>
#include <new>
#include <set>
#include <thread>

#include "bpo/comm/comm.h"
#include "bpo/core/claim.h"
#include "bpo/core/problem_file.h"
#include "bpo/core/text.h"
#include "bpo/runs/result.h"
#include "bpo/runs/seeds.h"

namespace bpo {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostClaimBytes = 1 << 16;
constexpr std::chrono::milliseconds kLookAgain{200};

std::string note(const Sweep& sweep, std::size_t k, const char* what) {
  return fmt::format("{}/{}.{}", sweep.notes(), sweep.names[k], what);
}

/// Only whoever has the claim writes a run's notes, so a half-written one is a killed owner's.
void write_note(const std::string& path, const std::string& text) {
  const std::filesystem::path target(path);
  make_directories(target.parent_path().string());
  remove_file((target.parent_path() / part_name(target.filename().string())).string());
  write_file_atomic(path, text);
}

/// Whether somebody has the run's lock. What else may be wrong with that, making the run will tell.
bool in_use(const std::string& directory) {
  try {
    return is_locked(directory);
  } catch (const Error&) {
    return false;
  }
}

/// A worker: its threads look for runs that nobody has.
class Worker {
 public:
  Worker(const Sweep& sweep, const SweepWork& work, const std::atomic<bool>& stop, CampaignLog& log)
      : sweep_(sweep), stop_(stop), log_(log), claims_(sweep.notes(), work.stale) {
    const auto count = static_cast<std::size_t>(work.shard.count);
    for (auto k = static_cast<std::size_t>(work.shard.index - 1); k < sweep.tasks.size();
         k += count) {
      open_.insert(k);
    }
  }

  void loop() {
    while (!stop_ && !failed_) {
      const std::optional<std::size_t> k = next();
      if (k) {
        make(*k);
      } else if (nothing_comes()) {
        return;
      } else {
        std::this_thread::sleep_for(kLookAgain);
      }
    }
  }
  /// The runs that nobody will make unless a person ends whoever has them.
  std::vector<std::string> stuck() const {
    std::vector<std::string> out;
    for (const std::size_t k : open_) out.push_back(sweep_.tasks[k].directory);
    return out;
  }
  CampaignEnd end;

 private:
  /// A run that is now this thread's; nothing while others have all that are left.
  std::optional<std::size_t> next() {
    std::vector<std::size_t> some;
    {
      const std::lock_guard lock(mutex_);
      some.assign(open_.begin(), open_.end());
    }
    for (const std::size_t k : some) {
      if (stop_) return std::nullopt;
      if (is_settled(k)) {
        const std::lock_guard lock(mutex_);
        open_.erase(k);
      } else if (!is_in_use(k) && claims_.take(sweep_.names[k])) {
        if (!is_settled(k)) return k;
        claims_.drop(sweep_.names[k]);  // somebody ended it in between
      }
    }
    return std::nullopt;
  }

  /// Somebody resumes the run by hand, or its last owner's ranks are about to end: a claim would
  /// have to be given back at once, again and again.
  bool is_in_use(std::size_t k) const { return in_use(sweep_.tasks[k].directory); }
  bool is_settled(std::size_t k) const {
    return exists(note(sweep_, k, "done")) || exists(note(sweep_, k, "failed"));
  }
  /// Whether all that is left are runs whose owners are silent and still have them in use, for they
  /// were stopped or hang: nobody can take such a run over.
  bool nothing_comes() {
    const std::lock_guard lock(mutex_);
    return std::all_of(open_.begin(), open_.end(), [&](std::size_t k) {
      return is_in_use(k) && claims_.is_silent(sweep_.names[k]);
    });
  }
  void fail(std::size_t k, const std::string& why) {
    write_note(note(sweep_, k, "failed"), fmt::format("{}\n{}\n", this_process(), why));
    claims_.release(sweep_.names[k]);  // for --retry-failed
  }

  void make(std::size_t k) {
    const Task& task = sweep_.tasks[k];
    const Clock::time_point start = Clock::now();
    ThreadPool pool(1);
    TaskLog task_log(log_, task);
    try {
      if (!make_run(task, stop_, task_log, pool)) return claims_.release(sweep_.names[k]);
      const std::chrono::duration<double> seconds = Clock::now() - start;
      write_note(note(sweep_, k, "done"),
                 fmt::format("{}\n{:.3f}\n", this_process(), seconds.count()));
      task_log.finished();
      const std::lock_guard lock(mutex_);
      ++end.made;
    } catch (const Interrupted&) {
      return claims_.release(sweep_.names[k]);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::kLocked) return claims_.release(sweep_.names[k]);
      // A disk that fails would fail the other runs, too.
      failed_ = error.code() == ErrorCode::kIo;
      fail(k, error.what());
      if (failed_) throw;
      return;
    } catch (const std::bad_alloc&) {
      return fail(k, "out of memory; try a smaller optimizer.batch_steps or problem.bins");
    } catch (const std::exception& error) {
      return fail(k, printable(error.what()));
    }
    claims_.drop(sweep_.names[k]);
  }

  const Sweep& sweep_;
  const std::atomic<bool>& stop_;
  CampaignLog& log_;
  Claims claims_;
  std::mutex mutex_;
  std::set<std::size_t> open_;  // neither done nor failed when this worker last looked
  std::atomic<bool> failed_ = false;
};

std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> out;
  std::string text = read_file(path, kMostClaimBytes);
  for (std::size_t end; (end = text.find('\n')) != text.npos; text.erase(0, end + 1)) {
    out.push_back(text.substr(0, end));
  }
  out.resize(2);
  return out;
}

std::string silence(const std::string& directory, double seconds) {
  return fmt::format("not heard of for {:.0f} s{}", seconds,
                     in_use(directory) ? ", and has the run in use: end that process" : "");
}

}  // namespace

Sweep open_sweep(const SweepFile& file, const std::string& out) {
  Sweep sweep{.out = out};
  std::set<std::string> seen;
  for (const std::string& chosen : file.problems) {
    const std::string problem = open_problem(chosen);
    for (const std::string& method : file.methods) {
      solvers().at(method);
      for (const std::vector<std::string>& choice : file.combinations()) {
        Series series{problem, method, choice, static_cast<int>(file.seeds.size())};
        const std::string parent = Series{short_name(problem), method, choice}.directory();
        series.sets.insert(series.sets.begin(), file.sets.begin(), file.sets.end());
        const std::int64_t first = file.seeds.front();
        check_settings({series, first, {}, seed_directory(out + "/" + parent, first)});
        for (const std::int64_t seed : file.seeds) {
          const std::string name = seed_directory(parent, seed);
          if (!seen.insert(name).second) {
            throw bad_input(fmt::format("two runs of the sweep would both be {}", name));
          }
          sweep.tasks.push_back({series, seed, {}, out + "/" + name});
          sweep.names.push_back(name);
        }
      }
    }
  }
  return sweep;
}

CampaignEnd work_on(const Sweep& sweep, const SweepWork& work, const std::atomic<bool>& stop,
                    CampaignLog& log) {
  if (comm().size() > 1) {
    throw bad_input("a sweep needs no ranks: start as many workers of `bpo sweep` as you like");
  }
  const Clock::time_point start = Clock::now();
  Worker worker(sweep, work, stop, log);
  ThreadPool threads(work.threads);
  threads.run(threads.threads(), [&](int, int) { worker.loop(); });
  CampaignEnd end = worker.end;
  end.interrupted = stop;
  if (!end.interrupted) end.locked = worker.stuck();
  end.threads = work.threads;
  end.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return end;
}

std::size_t forget_failures(const Sweep& sweep) {
  std::size_t count = 0;
  for (std::size_t k = 0; k < sweep.tasks.size(); ++k) {
    const std::string path = note(sweep, k, "failed");
    if (!exists(path)) continue;
    remove_file(path);
    ++count;
  }
  return count;
}

std::vector<SweepRow> status_of(const Sweep& sweep, double stale) {
  std::vector<SweepRow> out(sweep.tasks.size());
  for (std::size_t k = 0; k < out.size(); ++k) {
    SweepRow& row = out[k];
    if (const std::string path = note(sweep, k, "done"); exists(path)) {
      const std::vector<std::string> lines = lines_of(path);
      const double seconds = std::strtod(lines[1].c_str(), nullptr);
      const bool sensible = std::isfinite(seconds) && seconds >= 0.0;  // or else it was damaged
      row = {SweepState::kDone, lines[0], "", sensible ? seconds : 0.0};
    } else if (const std::string other = note(sweep, k, "failed"); exists(other)) {
      const std::vector<std::string> lines = lines_of(other);
      row = {SweepState::kFailed, lines[0], lines[1], 0.0};
    } else if (const auto owner = Claims::owner(sweep.notes(), sweep.names[k])) {
      const bool lives = owner->silent <= stale;
      row = {lives ? SweepState::kRunning : SweepState::kWaiting, owner->process,
             lives ? "" : silence(sweep.tasks[k].directory, owner->silent), 0.0};
    }
  }
  return out;
}

}  // namespace bpo
