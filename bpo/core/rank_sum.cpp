#include "bpo/core/rank_sum.h"

#include <algorithm>
#include <cstring>

#include "bpo/comm/comm.h"
#include "bpo/comm/core_time.h"

namespace bpo {
namespace {

constexpr std::size_t kTogether = 8;  // numbers that are not divided, for vector instructions

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

void append(std::span<const std::byte> more, std::vector<std::byte>& to) {
  to.insert(to.end(), more.begin(), more.end());
}

}  // namespace

void RankSum::add(std::span<const SlicePiece> pieces, const std::vector<std::vector<float>>& slices,
                  std::span<double> sum) {
  Traffic& traffic = comm().traffic;
  const double start = core_seconds(CLOCK_THREAD_CPUTIME_ID), waited = traffic.waiting;
  const std::uint64_t told = traffic.bytes;
  const int self = comm().rank(), ranks = comm().size();
  bytes_.resize(static_cast<std::size_t>(ranks));
  std::vector<std::span<const std::byte>> to;
  for (int rank = 0; rank < ranks; ++rank) {
    std::vector<std::byte>& bytes = bytes_[static_cast<std::size_t>(rank)];
    bytes.clear();
    for (const SlicePiece& piece : pieces) {
      const Range part = common(piece, range_of(rank, sum.size()));
      for (std::size_t slice = 0; slice < piece.rank_of.size() && rank != self; ++slice) {
        if (piece.rank_of[slice] != self || part.size() == 0) continue;
        append(std::as_bytes(std::span(slices[slice]).subspan(part.begin, part.size())), bytes);
      }
    }
    to.emplace_back(bytes);
  }
  auto parts = comm().exchange_apart(Exchange::kChunks, to);
  std::vector<const std::byte*> next;
  for (const auto part : parts) next.push_back(part.data());
  const Range own = range_of(self, sum.size());
  for (const SlicePiece& piece : pieces) {
    const Range part = common(piece, own);
    for (std::size_t slice = 0; slice < piece.rank_of.size() && part.size() > 0; ++slice) {
      const int rank = piece.rank_of[slice];
      const float* from = slices[slice].data() + part.begin;
      if (rank != self) {
        const std::byte*& at = next[static_cast<std::size_t>(rank)];
        from = reinterpret_cast<const float*>(at);
        at += part.size() * sizeof(float);
      }
      double* out = sum.data() + part.begin;
      for (std::size_t i = 0; i < part.size(); ++i) out[i] += from[i];
    }
  }
  const auto result = std::as_bytes(sum.subspan(own.begin, own.size()));
  told_.assign(result.begin(), result.end());
  parts = comm().exchange(Exchange::kChunks, told_);
  for (int rank = 0; rank < ranks; ++rank) {
    const auto part = parts[static_cast<std::size_t>(rank)];
    if (part.empty()) continue;
    std::memcpy(sum.data() + range_of(rank, sum.size()).begin, part.data(), part.size());
  }
  const double taken = core_seconds(CLOCK_THREAD_CPUTIME_ID) - start - (traffic.waiting - waited);
  traffic.sums.add(taken * ranks, taken, traffic.bytes - told);
}

}  // namespace bpo
