#include "bpo/core/rank_executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <exception>
#include <stdexcept>

#include "bpo/comm/core_time.h"
#include "bpo/core/ranks.h"

namespace bpo {
namespace {

thread_local bool within_chunk = false;

constexpr int kMeasureEvery = 200;  // calls of a loop

enum class How : char { kDone, kError, kInterrupted, kUnexpected };

/// How a rank's range ended; it comes before the results.
struct Report {
  How how = How::kDone;
  ranks::Trouble trouble;
  double seconds = 0.0;

  void visit(Wire& wire) {
    wire(how);
    wire(seconds);
    if (how != How::kDone) wire(trouble);
  }
  void raise(int rank) const {
    if (how == How::kInterrupted) throw Interrupted();
    if (how == How::kError) trouble.raise();
    if (how == How::kUnexpected) {
      throw std::runtime_error(fmt::format("{} ({})", trouble.text, comm().name(rank)));
    }
  }
};

int first_of(int rank, int chunks) {
  return static_cast<int>(std::int64_t{rank} * chunks / comm().size());
}

/// Seconds of chunks since `start`, of which the threads had a share each.
double seconds_since(double start, const ThreadPool& pool) {
  const double passed = cost_seconds(CLOCK_PROCESS_CPUTIME_ID) - start;
  return costs_are_of_the_core() ? passed / pool.threads() : passed;
}

/// Computes a range of the chunks, within which no chunks are divided any further.
void compute_range(Chunks& chunks, int begin, int end, ThreadPool& pool) {
  pool.run(end - begin, [&](int i, int thread) {
    within_chunk = true;
    try {
      chunks.compute(begin + i, thread);
    } catch (...) {
      within_chunk = false;
      throw;
    }
    within_chunk = false;
  });
}

Report compute(Chunks& chunks, int begin, int end, ThreadPool& pool) {
  try {
    compute_range(chunks, begin, end, pool);
  } catch (const Error& error) {
    return {.how = How::kError, .trouble = {static_cast<int>(error.code()), error.what()}};
  } catch (const Interrupted&) {
    return {.how = How::kInterrupted};
  } catch (const std::exception& error) {
    return {.how = How::kUnexpected, .trouble = {0, error.what()}};
  }
  return {};
}

}  // namespace

bool RankExecutor::can_run() { return comm().size() > 1 && !within_chunk; }

RankExecutor::Loop RankExecutor::loop_of(const Chunks& chunks) {
  return {typeid(chunks), std::bit_width(static_cast<unsigned>(chunks.size()))};
}

bool RankExecutor::pays(const Chunks& chunks) {
  const auto known = costs_.find(loop_of(chunks));
  if (known == costs_.end() || ++known->second.calls >= kMeasureEvery) return true;
  return pays(chunks.size() * known->second.seconds, chunks.size() * known->second.bytes, 1);
}

bool RankExecutor::pays(double seconds, double bytes, int exchanges) {
  const LinkSpeed link = comm().link_speed();
  return seconds >
         seconds / comm().size() + exchanges * link.seconds + bytes / link.bytes_per_second;
}

int RankExecutor::rank_of(int chunk, int chunks) {
  const auto ranks = std::int64_t{comm().size()};
  return static_cast<int>(((std::int64_t{chunk} + 1) * ranks - 1) / chunks);
}

void RankExecutor::run(Chunks& chunks, ThreadPool& pool) {
  const int rank = comm().rank(), count = chunks.size();
  const int begin = first_of(rank, count), end = first_of(rank + 1, count);
  const double start = cost_seconds(CLOCK_PROCESS_CPUTIME_ID);
  Report report = compute(chunks, begin, end, pool);
  report.seconds = seconds_since(start, pool);
  const double computed = cost_seconds(CLOCK_THREAD_CPUTIME_ID);
  bytes_.clear();
  Wire out(bytes_);
  out(report);
  if (report.how == How::kDone) {
    chunks.carry(begin, end, out);
  }
  Traffic& traffic = comm().traffic;
  const double waiting = traffic.waiting;
  const auto parts = comm().exchange(Exchange::kChunks, bytes_);
  Cost cost;
  double divided = 0.0, longest = 0.0;
  std::uint64_t told = 0;
  for (int other = 0; other < comm().size(); ++other) {
    Wire in(parts[static_cast<std::size_t>(other)]);
    Report theirs;
    in(theirs);
    theirs.raise(other);
    divided += theirs.seconds;
    longest = std::max(longest, theirs.seconds);
    told += parts[static_cast<std::size_t>(other)].size();
    if (other != rank) chunks.carry(first_of(other, count), first_of(other + 1, count), in);
  }
  traffic.loops[typeid(chunks)].add(divided, longest, told);
  cost.seconds = divided / std::max(1, count);
  cost.bytes = static_cast<double>(told) / std::max(1, count);
  traffic.carrying +=
      cost_seconds(CLOCK_THREAD_CPUTIME_ID) - computed - (traffic.waiting - waiting);
  costs_[loop_of(chunks)] = cost;
}

void RankExecutor::run_own(Chunks& chunks, ThreadPool& pool) {
  const int rank = comm().rank();
  const double start = cost_seconds(CLOCK_PROCESS_CPUTIME_ID);
  compute_range(chunks, first_of(rank, chunks.size()), first_of(rank + 1, chunks.size()), pool);
  const double taken = seconds_since(start, pool);
  comm().traffic.loops[typeid(chunks)].add(taken * comm().size(), taken, 0);
}

}  // namespace bpo
