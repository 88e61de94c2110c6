#include "bpo/optimizers/model.h"

#include <fmt/format.h>

#include "bpo/core/error.h"

namespace bpo {

std::size_t Model::parameters() const {
  const TensorInfo& last = tensors().back();
  return last.offset + last.size();
}

std::unique_ptr<KeptPolicy> Model::read_policy(const TensorFile& file, bool greedy,
                                               const std::string& path) const {
  const std::string &found = file.metadata_at("network"), wanted = text();
  if (found != wanted) {
    throw bad_input(fmt::format("{}: has the network {}, but its settings make {}", path,
                                found.substr(0, 300), wanted));
  }
  return make_policy(load_tensors(tensors(), file), greedy);
}

}  // namespace bpo
