// The named parts of theta, and how they are stored in a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "bpo/nn/safetensors.h"

namespace bpo {

struct TensorInfo {
  std::string name;
  std::vector<std::int64_t> shape;
  std::size_t offset = 0;

  std::size_t size() const {
    return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
  }
};

void save_tensors(const std::vector<TensorInfo>& tensors, std::span<const float> theta,
                  TensorFile& file);
/// Refuses a tensor that is missing, of another shape, or not finite.
std::vector<float> load_tensors(const std::vector<TensorInfo>& tensors, const TensorFile& file);

}  // namespace bpo
