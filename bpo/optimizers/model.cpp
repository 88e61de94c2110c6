#include "bpo/optimizers/model.h"

#include <algorithm>

namespace bpo {

std::size_t Model::parameters() const {
  const TensorInfo& last = tensors().back();
  return last.offset + last.size();
}

void Model::save(std::span<const float> theta, TensorFile& file) const {
  for (const TensorInfo& info : tensors()) {
    file.tensors[info.name] =
        Tensor::of<float>(theta.subspan(info.offset, info.size()), info.shape);
  }
}

std::vector<float> Model::load(const TensorFile& file) const {
  std::vector<float> theta(parameters());
  for (const TensorInfo& info : tensors()) {
    const std::span<const float> values = file.get<float>(info.name, info.shape);
    std::copy(values.begin(), values.end(),
              theta.begin() + static_cast<std::ptrdiff_t>(info.offset));
  }
  return theta;
}

}  // namespace bpo
