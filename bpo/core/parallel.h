// A thread pool for loops over fixed chunks. Which thread runs a chunk never changes a result: a
// chunk writes only what belongs to it, and sums over chunks are taken in index order afterwards.
#pragma once

#include <functional>
#include <memory>

namespace bpo {

class ThreadPool {
 public:
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
  struct Shared;
  int threads_;
  std::unique_ptr<Shared> shared_;
};

}  // namespace bpo
