#include "bpo/optimizers/model.h"

namespace bpo {

std::size_t Model::parameters() const {
  const TensorInfo& last = tensors().back();
  return last.offset + last.size();
}

void Model::save(std::span<const float> theta, TensorFile& file) const {
  save_tensors(tensors(), theta, file);
}

std::vector<float> Model::load(const TensorFile& file) const {
  return load_tensors(tensors(), file);
}

}  // namespace bpo
