#include "bpo/nn/tensor_info.h"

namespace bpo {

void save_tensors(const std::vector<TensorInfo>& tensors, std::span<const float> theta,
                  TensorFile& file) {
  for (const TensorInfo& info : tensors) {
    file.tensors[info.name] =
        Tensor::of<float>(theta.subspan(info.offset, info.size()), info.shape);
  }
}

std::vector<float> load_tensors(const std::vector<TensorInfo>& tensors, const TensorFile& file) {
  std::vector<float> theta;  // the parts follow one another
  for (const TensorInfo& info : tensors) {
    file.get<float>(info.name, info.shape);
    const std::vector<float> values = file.finite<float>(info.name);
    theta.insert(theta.end(), values.begin(), values.end());
  }
  return theta;
}

}  // namespace bpo
