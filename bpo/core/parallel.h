// A thread pool for loops over fixed chunks, and map_reduce() over them. Which thread runs a chunk
// never changes a result: a chunk writes only what belongs to it, and sums over chunks are taken in
// index order afterwards. Nor need it be a thread: whoever computes a chunk hands back its bytes.
// Where there are ranks (bpo/comm), each computes a range of the chunks and tells all the others.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "bpo/comm/start_thread.h"
#include "bpo/core/wire.h"

namespace bpo {

/// The chunks of one map_reduce(), as whoever computes them sees them.
class Chunks {
 public:
  virtual int size() const = 0;
  /// Makes the chunk's result, from nothing but what all share and with the thread's own scratch.
  virtual void compute(int chunk, int thread) = 0;
  /// The results of chunks begin..end-1 as bytes; a reader reads what a writer wrote at once.
  virtual void carry(int begin, int end, Wire& wire) = 0;

 protected:
  ~Chunks() = default;
};

/// Who computes the chunks of a map_reduce() where there are ranks. Loops that are divided have the
/// same chunks on the same rank if they have as many, so one of them may go on where another ended.
enum class Share {
  kAsPays,  // divided among the ranks if that is faster, or else everybody all of them
  kAll,     // everybody all of them
  kTold,    // divided, and all are told all results
  kKept,    // divided, and a rank has the results of its own chunks alone
};

class ThreadPool;

/// Computes chunks on other processes or machines.
class Executor {
 public:
  virtual ~Executor() = default;
  /// Returns when every chunk has its result, computed here or carried here. The first exception,
  /// by chunk index, is thrown here.
  virtual void run(Chunks& chunks, ThreadPool& pool) = 0;
};

class ThreadPool {
 public:
  /// As many threads as the system lets it have, at most `threads`: fewer change no result.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return threads_; }
  /// The threads of all ranks together.
  int workers() const { return workers_; }

  /// Calls task(chunk, thread) for chunk = 0..chunks-1 and returns when all are done. The first
  /// exception, by chunk index, is thrown here. Runs inline when there is one chunk or one thread.
  void run(int chunks, const std::function<void(int chunk, int thread)>& task);

  /// Computes the chunks of a map_reduce(): by the Executor if there is one, or by all ranks.
  void run(Chunks& chunks, Share share = Share::kAsPays);

  /// How to share loops that belong together, which take so many seconds on one rank and
  /// `exchanges` of so many bytes in all: kTold, kAll, or kAsPays where there are no ranks to
  /// decide about.
  Share share_of(double seconds, double bytes, int exchanges) const;
  /// The rank of a chunk among so many that are divided.
  static int rank_of(int chunk, int chunks);

  /// The number of cores this process may use.
  static int available();

 private:
  friend class Interruptible;
  friend class Elsewhere;
  struct Shared;
  int threads_, workers_;
  std::unique_ptr<Shared> shared_;
};

/// While the object lives, run() of the pool throws Interrupted before its next chunk once
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

/// While the object lives, chunks of map_reduce() on the pool are the executor's.
class Elsewhere {
 public:
  Elsewhere(ThreadPool& pool, Executor& executor);
  ~Elsewhere();
  Elsewhere(const Elsewhere&) = delete;
  Elsewhere& operator=(const Elsewhere&) = delete;

 private:
  ThreadPool& pool_;
};

/// Calls work(chunk, thread) for chunk = 0..chunks-1, in any order and anywhere, and then
/// fold(chunk) in index order. result(chunk) is what the chunk's work fills, by reference or as
/// spans; work writes nothing else but the thread's scratch. So the order of a sum over chunks, and
/// with it every bit, is the same whoever computes them.
template <class Result, class Work, class Fold>
void map_reduce(ThreadPool& pool, int chunks, Result result, Work work, Fold fold,
                Share share = Share::kAsPays) {
  struct All final : Chunks {
    All(int n, Result& r, Work& w) : count(n), result(r), work(w) {}
    int size() const override { return count; }
    void compute(int chunk, int thread) override { work(chunk, thread); }
    void carry(int begin, int end, Wire& wire) override {
      for (int chunk = begin; chunk < end; ++chunk) {
        decltype(auto) part = result(chunk);
        wire(part);
      }
    }
    int count;
    Result& result;
    Work& work;
  };
  All all(chunks, result, work);
  pool.run(all, share);
  for (int chunk = 0; chunk < chunks; ++chunk) fold(chunk);
}

/// A map_reduce() whose results stay apart: nothing is folded.
template <class Result, class Work>
void map_reduce(ThreadPool& pool, int chunks, Result result, Work work,
                Share share = Share::kAsPays) {
  map_reduce(
      pool, chunks, result, work, [](int) {}, share);
}

}  // namespace bpo
