// Blocks of 64 columns that lie one after another, for the passes of a network over a batch.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "bpo/nn/blocks.h"

namespace bpo::pass {

inline float* at(Block& data, std::size_t rows, int block) {
  return data.data() + rows * kernels::kColumns * static_cast<std::size_t>(block);
}
inline const float* at(const Block& data, std::size_t rows, int block) {
  return data.data() + rows * kernels::kColumns * static_cast<std::size_t>(block);
}

/// What block `block` has of such data, or several blocks from there on.
inline std::span<float> part(Block& data, std::size_t rows, int block, int blocks = 1) {
  return {at(data, rows, block), rows * kernels::kColumns * static_cast<std::size_t>(blocks)};
}

inline int columns_in_block(int columns, int block) {
  return std::min(kernels::kColumns, columns - block * kernels::kColumns);
}

// Gradients are summed within a slice of blocks and then over slices in order, whatever the number
// of threads.
inline constexpr int kSlices = 16;

inline int slices_of(int blocks) { return std::min(blocks, kSlices); }
inline int slice_begin(int slice, int slices, int blocks) { return slice * blocks / slices; }

}  // namespace bpo::pass
