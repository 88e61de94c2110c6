// The sum of slices that lie on different ranks, in the order of the slices: the sum that one
// process takes, to the bit. Ranks that share memory add up one after another, each what it has to
// what the one before it made, block by block, so that all work at once; a number crosses as the
// sum so far. Others add up a range of the numbers each, get what the others have of that range,
// and tell all the result: a number crosses once as a part and once as a sum.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace bpo {

/// A range of a slice's numbers whose parts are on one rank each.
struct SlicePiece {
  std::size_t begin = 0, end = 0;
  std::vector<int> rank_of;  // by slice, ascending; there may be fewer than of other pieces
};

/// Numbers that lie together in a slice as in the sum.
struct SliceRun {
  std::size_t slice, sum;
  int count;
};

/// sum[run.sum + i] += slices[0][run.slice + i] + slices[1][run.slice + i] + ..., one after
/// another. All ranks call it with the same pieces and runs, both in the order of the slices'
/// numbers and every run within a piece, and the same sum; of the slices each needs its own.
void rank_sum(std::span<const SlicePiece> pieces, std::span<const SliceRun> runs,
              const std::vector<std::vector<float>>& slices, std::span<double> sum);

}  // namespace bpo
