// The sum of slices that lie on different ranks, in the order of the slices: the sum that one
// process takes, to the bit. Each rank adds up a range of the numbers, gets from the others what
// they have of that range, and tells all the result. So a number crosses once as a part and once as
// a sum, however many slices there are on a rank.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace bpo {

/// A range of a slice's numbers whose parts are on one rank each.
struct SlicePiece {
  std::size_t begin = 0, end = 0;
  std::vector<int> rank_of;  // by slice; there may be fewer than of other pieces
};

/// sum[i] += slices[0][i] + slices[1][i] + ..., one after another. All ranks call it with the
/// same pieces, which are in order, and the same sum; of the slices each needs its own.
void rank_sum(std::span<const SlicePiece> pieces, const std::vector<std::vector<float>>& slices,
              std::span<double> sum);

}  // namespace bpo
