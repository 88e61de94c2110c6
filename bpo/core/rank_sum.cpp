#include "bpo/core/rank_sum.h"

#include <algorithm>
#include <cstring>

#include "bpo/comm/comm.h"
#include "bpo/comm/core_time.h"

namespace bpo {
namespace {

constexpr std::size_t kTogether = 8;  // numbers that are not divided, for vector instructions
constexpr std::size_t kInCache = 1024;

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

/// sum[i] += from[0][i] + from[1][i] + ..., one after another, a part that stays in the cache at a
/// time.
void add_in_order(std::span<const float* const> from, std::span<double> sum) {
  for (std::size_t begin = 0; begin < sum.size(); begin += kInCache) {
    const std::size_t end = std::min(sum.size(), begin + kInCache);
    for (const float* slice : from) {
      for (std::size_t i = begin; i < end; ++i) sum[i] += slice[i];
    }
  }
}

}  // namespace

void rank_sum(std::span<const SlicePiece> pieces, const std::vector<std::vector<float>>& slices,
              std::span<double> sum) {
  Traffic& traffic = comm().traffic;
  const double start = cost_seconds(CLOCK_THREAD_CPUTIME_ID), waited = traffic.waiting;
  const std::uint64_t told = traffic.bytes;
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
    add_in_order(from, sum.subspan(part.begin, part.size()));
  }
  parts = comm().exchange(Exchange::kChunks, std::as_bytes(sum.subspan(own.begin, own.size())));
  for (int rank = 0; rank < ranks; ++rank) {
    const auto part = parts[static_cast<std::size_t>(rank)];
    if (part.empty() || rank == self) continue;
    std::memcpy(sum.data() + range_of(rank, sum.size()).begin, part.data(), part.size());
  }
  const double taken = cost_seconds(CLOCK_THREAD_CPUTIME_ID) - start - (traffic.waiting - waited);
  traffic.sums.add(taken * ranks, taken, traffic.bytes - told);
}

}  // namespace bpo
