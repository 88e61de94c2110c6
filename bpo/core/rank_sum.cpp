#include "bpo/core/rank_sum.h"

#include <algorithm>
#include <cstring>

#include "bpo/comm/comm.h"
#include "bpo/comm/core_time.h"

namespace bpo {
namespace {

constexpr std::size_t kTogether = 8;  // numbers that are not divided, for vector instructions
constexpr std::size_t kAtOnce = 512;  // numbers that go from rank to rank together

using Floats = float __attribute__((vector_size(16), aligned(4), may_alias));
using Doubles = double __attribute__((vector_size(32), aligned(8), may_alias));
constexpr std::size_t kWidth = 4, kSums = 4;

struct Range {
  std::size_t begin = 0, end = 0;
  std::size_t size() const { return end > begin ? end - begin : 0; }
};

Range range_of(int rank, std::size_t numbers) {
  const auto ranks = static_cast<std::size_t>(comm().size()), r = static_cast<std::size_t>(rank);
  const std::size_t groups = (numbers + kTogether - 1) / kTogether;
  return {std::min(numbers, r * groups / ranks * kTogether),
          std::min(numbers, (r + 1) * groups / ranks * kTogether)};
}

Range common(const SlicePiece& piece, const Range& range) {
  return {std::max(piece.begin, range.begin), std::min(piece.end, range.end)};
}

/// to[i] = from[i] + slices[0][i] + slices[1][i] + ..., one after another.
void add_in_order(std::span<const float* const> slices, const double* from, double* to,
                  std::size_t count) {
  std::size_t begin = 0;
  for (; begin + kSums * kWidth <= count; begin += kSums * kWidth) {
    Doubles sum[kSums];
    for (std::size_t k = 0; k < kSums; ++k) {
      sum[k] = *reinterpret_cast<const Doubles*>(from + begin + k * kWidth);
    }
    for (const float* slice : slices) {
      for (std::size_t k = 0; k < kSums; ++k) {
        sum[k] += __builtin_convertvector(
            *reinterpret_cast<const Floats*>(slice + begin + k * kWidth), Doubles);
      }
    }
    for (std::size_t k = 0; k < kSums; ++k) {
      *reinterpret_cast<Doubles*>(to + begin + k * kWidth) = sum[k];
    }
  }
  for (; begin < count; ++begin) {
    double sum = from[begin];
    for (const float* slice : slices) sum += slice[begin];
    to[begin] = sum;
  }
}

/// Runs of one piece that go from rank to rank together.
struct Block {
  std::span<const SliceRun> runs;
  const SlicePiece* piece;
  std::size_t begin() const { return runs.front().slice; }
  std::size_t end() const {
    return runs.back().slice + static_cast<std::size_t>(runs.back().count);
  }
};

std::vector<Block> blocks_of(std::span<const SlicePiece> pieces, std::span<const SliceRun> runs) {
  std::vector<Block> out;
  const SlicePiece* piece = pieces.data();
  for (std::size_t first = 0, next = 0; first < runs.size(); first = next) {
    while (runs[first].slice + static_cast<std::size_t>(runs[first].count) > piece->end) ++piece;
    const std::size_t end = std::min(piece->end, runs[first].slice + kAtOnce);
    for (next = first + 1; next < runs.size() && runs[next].slice < end;) ++next;
    out.push_back({runs.subspan(first, next - first), piece});
  }
  return out;
}

/// What the runs have of the sum; 0 between them.
void fill_from(std::span<const double> sum, std::span<const SliceRun> runs, double* to) {
  const std::size_t begin = runs.front().slice;
  std::size_t at = begin;
  for (const SliceRun& run : runs) {
    std::fill(to + (at - begin), to + (run.slice - begin), 0.0);
    std::copy_n(sum.data() + run.sum, run.count, to + (run.slice - begin));
    at = run.slice + static_cast<std::size_t>(run.count);
  }
}

void take_from(const double* from, std::span<const SliceRun> runs, std::span<double> sum) {
  const std::size_t begin = runs.front().slice;
  for (const SliceRun& run : runs) {
    std::copy_n(from + (run.slice - begin), run.count, sum.data() + run.sum);
  }
}

/// Each rank adds its slices to the sum of the ranks before it. False, and nothing is done, where
/// ranks share no memory.
bool add_by_turns(std::span<const SlicePiece> pieces, std::span<const SliceRun> runs,
                  const std::vector<std::vector<float>>& slices, std::span<double> sum) {
  const std::vector<Block> blocks = blocks_of(pieces, runs);
  std::vector<const float*> own;
  const auto make = [&](std::size_t step, const std::byte* before, std::byte* bytes) {
    const Block& block = blocks[step];
    double* to = reinterpret_cast<double*>(bytes) + block.begin();
    const double* from = to;
    if (before == nullptr) {
      fill_from(sum, block.runs, to);
    } else {
      from = reinterpret_cast<const double*>(before) + block.begin();
    }
    const std::vector<int>& rank_of = block.piece->rank_of;
    const auto [first, last] = std::equal_range(rank_of.begin(), rank_of.end(), comm().rank());
    own.clear();
    for (auto one = first; one != last; ++one) {
      const auto slice = static_cast<std::size_t>(one - rank_of.begin());
      own.push_back(slices[slice].data() + block.begin());
    }
    add_in_order(own, from, to, block.end() - block.begin());
  };
  const auto take = [&](std::size_t step, const std::byte* last) {
    const Block& block = blocks[step];
    take_from(reinterpret_cast<const double*>(last) + block.begin(), block.runs, sum);
  };
  return comm().relay({.bytes = pieces.back().end * sizeof(double),
                       .steps = blocks.size(),
                       .make = make,
                       .take = take});
}

/// Each rank adds up a range of the numbers.
void add_by_ranges(std::span<const SlicePiece> pieces,
                   const std::vector<std::vector<float>>& slices, std::span<double> sum) {
  const int self = comm().rank(), ranks = comm().size();
  std::vector<Spans> to(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    if (rank == self) continue;
    for (const SlicePiece& piece : pieces) {
      const Range part = common(piece, range_of(rank, sum.size()));
      if (part.size() == 0) continue;
      for (std::size_t slice = 0; slice < piece.rank_of.size(); ++slice) {
        if (piece.rank_of[slice] != self) continue;
        const auto numbers = std::span(slices[slice]).subspan(part.begin, part.size());
        to[static_cast<std::size_t>(rank)].push_back(std::as_bytes(numbers));
      }
    }
  }
  auto parts = comm().exchange_apart(Exchange::kChunks, to);
  std::vector<const std::byte*> next;
  for (const auto part : parts) next.push_back(part.data());
  const Range own = range_of(self, sum.size());
  for (const SlicePiece& piece : pieces) {
    const Range part = common(piece, own);
    if (part.size() == 0) continue;
    std::vector<const float*> from;
    for (std::size_t slice = 0; slice < piece.rank_of.size(); ++slice) {
      const int rank = piece.rank_of[slice];
      from.push_back(slices[slice].data() + part.begin);
      if (rank == self) continue;
      const std::byte*& at = next[static_cast<std::size_t>(rank)];
      from.back() = reinterpret_cast<const float*>(at);
      at += part.size() * sizeof(float);
    }
    double* into = sum.data() + part.begin;
    add_in_order(from, into, into, part.size());
  }
  parts = comm().exchange(Exchange::kChunks, std::as_bytes(sum.subspan(own.begin, own.size())));
  for (int rank = 0; rank < ranks; ++rank) {
    const auto part = parts[static_cast<std::size_t>(rank)];
    if (part.empty() || rank == self) continue;
    std::memcpy(sum.data() + range_of(rank, sum.size()).begin, part.data(), part.size());
  }
}

}  // namespace

void rank_sum(std::span<const SlicePiece> pieces, std::span<const SliceRun> runs,
              const std::vector<std::vector<float>>& slices, std::span<double> sum) {
  if (runs.empty()) return;
  Traffic& traffic = comm().traffic;
  const double start = cost_seconds(CLOCK_THREAD_CPUTIME_ID), waited = traffic.waiting;
  const std::uint64_t told = traffic.bytes;
  if (!add_by_turns(pieces, runs, slices, sum)) {
    std::vector<double> all(pieces.back().end);
    fill_from(sum, runs, all.data() + runs.front().slice);
    add_by_ranges(pieces, slices, all);
    take_from(all.data() + runs.front().slice, runs, sum);
  }
  const double taken = cost_seconds(CLOCK_THREAD_CPUTIME_ID) - start - (traffic.waiting - waited);
  traffic.sums.add(taken * comm().size(), taken, traffic.bytes - told);
}

}  // namespace bpo
