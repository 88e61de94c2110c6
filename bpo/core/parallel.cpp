#include "bpo/core/parallel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

#include "bpo/comm/core_time.h"
#include "bpo/core/error.h"
#include "bpo/core/rank_executor.h"
#include "bpo/core/ranks.h"

namespace bpo {
namespace {

// A loop of an update lasts tens of microseconds, about what waking a sleeping thread costs; so
// both sides first look for news this many times.
constexpr int kSpins = 4000;

/// While the object lives, no flag interrupts.
struct Unheeding {
  const std::atomic<bool>*& place;
  const std::atomic<bool>* flag = std::exchange(place, nullptr);
  ~Unheeding() { place = flag; }
};

}  // namespace

struct ThreadPool::Shared {
  std::mutex mutex;
  std::condition_variable wake, done;
  std::vector<std::thread> workers;
  const std::function<void(int, int)>* task = nullptr;
  int chunks = 0;
  std::atomic<int> next{0}, active{0};
  std::atomic<unsigned> generation{0};
  std::atomic<bool> stop{false};
  int failed_chunk = 0;
  std::exception_ptr failure;
  const std::atomic<bool>* interrupt = nullptr;
  Executor* executor = nullptr;
  RankExecutor ranks;

  void check_interrupt() const {
    if (interrupt != nullptr && interrupt->load(std::memory_order_relaxed)) throw Interrupted();
  }

  void work(int thread) {
    for (int chunk; (chunk = next.fetch_add(1)) < chunks;) {
      try {
        check_interrupt();
        (*task)(chunk, thread);
      } catch (...) {
        std::lock_guard lock(mutex);
        if (!failure || chunk < failed_chunk) {
          failure = std::current_exception();
          failed_chunk = chunk;
        }
        // What has not begun comes later by index, and this thread's scratch may be half made.
        next = chunks;
      }
    }
  }

  void loop(int thread) {
    unsigned seen = 0;
    for (;;) {
      for (int i = 0; i < kSpins && generation.load() == seen && !stop.load(); ++i) {
        relax();
      }
      {
        std::unique_lock lock(mutex);
        wake.wait(lock, [&] { return stop.load() || generation.load() != seen; });
      }
      if (stop.load()) return;
      seen = generation.load();
      work(thread);
      if (active.fetch_sub(1) == 1) {
        std::lock_guard lock(mutex);
        done.notify_one();
      }
    }
  }
};

ThreadPool::ThreadPool(int threads) : threads_(1), shared_(std::make_unique<Shared>()) {
  for (; threads_ < threads; ++threads_) {
    std::thread worker = start_thread([s = shared_.get(), t = threads_] { s->loop(t); });
    if (!worker.joinable()) break;
    shared_->workers.push_back(std::move(worker));
  }
  workers_ = sum_over_ranks(threads_);
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(shared_->mutex);
    shared_->stop = true;
  }
  shared_->wake.notify_all();
  for (auto& worker : shared_->workers) worker.join();
}

void ThreadPool::run(int chunks, const std::function<void(int, int)>& task) {
  if (chunks <= 1 || threads_ == 1) {
    for (int chunk = 0; chunk < chunks; ++chunk) {
      shared_->check_interrupt();
      task(chunk, 0);
    }
    return;
  }
  Shared& s = *shared_;
  {
    std::lock_guard lock(s.mutex);
    s.task = &task;
    s.chunks = chunks;
    s.next = 0;
    s.failure = nullptr;
    s.active = threads_ - 1;
    ++s.generation;
  }
  s.wake.notify_all();
  s.work(0);
  for (int i = 0; i < kSpins && s.active.load() > 0; ++i) relax();
  std::unique_lock lock(s.mutex);
  s.done.wait(lock, [&] { return s.active.load() == 0; });
  if (s.failure) std::rethrow_exception(std::exchange(s.failure, nullptr));
}

void ThreadPool::run(Chunks& chunks, Share share) {
  if (shared_->executor != nullptr) {
    shared_->check_interrupt();
    return shared_->executor->run(chunks, *this);
  }
  const bool may_stay = share == Share::kAsPays || share == Share::kAll;
  if (!RankExecutor::can_run() || (may_stay && chunks.size() <= 1)) {
    return run(chunks.size(), [&](int chunk, int thread) { chunks.compute(chunk, thread); });
  }
  if (share == Share::kAsPays) share = shared_->ranks.pays(chunks) ? Share::kTold : Share::kAll;
  if (share == Share::kTold) return shared_->ranks.run(chunks, *this);
  // Nobody is interrupted here: the other ranks would go on without this one.
  const Unheeding unheeding{shared_->interrupt};
  if (share == Share::kKept) return RankExecutor::run_own(chunks, *this);
  run(chunks.size(), [&](int chunk, int thread) { chunks.compute(chunk, thread); });
}

Share ThreadPool::share_of(double seconds, double bytes, int exchanges) const {
  if (shared_->executor != nullptr || !RankExecutor::can_run()) return Share::kAsPays;
  return RankExecutor::pays(seconds, bytes, exchanges) ? Share::kTold : Share::kAll;
}

int ThreadPool::rank_of(int chunk, int chunks) { return RankExecutor::rank_of(chunk, chunks); }

Interruptible::Interruptible(ThreadPool& pool, const std::atomic<bool>& stop) : pool_(pool) {
  pool_.shared_->interrupt = &stop;
}

Interruptible::~Interruptible() { pool_.shared_->interrupt = nullptr; }

Elsewhere::Elsewhere(ThreadPool& pool, Executor& executor) : pool_(pool) {
  pool_.shared_->executor = &executor;
}

Elsewhere::~Elsewhere() { pool_.shared_->executor = nullptr; }

int ThreadPool::available() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace bpo
