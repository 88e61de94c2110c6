// A thread pool for loops over fixed chunks. Which thread runs a chunk never changes a result: a
// chunk writes only what belongs to it, and sums over chunks are taken in index order afterwards.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <thread>

namespace bpo {

/// The only way in which a thread is started: where the system refuses one, the result cannot be
/// joined, and its task does not run.
std::thread start_thread(std::function<void()> task);

class ThreadPool {
 public:
  /// As many threads as the system lets it have, at most `threads`: fewer change no result.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return threads_; }

  /// Calls task(chunk, thread) for chunk = 0..chunks-1 and returns when all are done. The first
  /// exception, by chunk index, is thrown here. Runs inline when there is one chunk or one thread.
  void run(int chunks, const std::function<void(int chunk, int thread)>& task);

  /// The number of cores this process may use.
  static int available();

 private:
  friend class Interruptible;
  struct Shared;
  int threads_;
  std::unique_ptr<Shared> shared_;
};

/// For the life of the object, run() of the pool throws Interrupted before its next chunk once
/// `stop` is set.
class Interruptible {
 public:
  Interruptible(ThreadPool& pool, const std::atomic<bool>& stop);
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  ThreadPool& pool_;
};

}  // namespace bpo
