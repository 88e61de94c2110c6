#include "bpo/planners/point_based/alpha_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bpo/core/error.h"

namespace bpo {
namespace {

constexpr const char* kMostLikely = "the most likely state";

struct Described {
  AlphaShape shape;
  Look look = Look::kBelief;
};

Described parse_shape(const std::string& text, const std::string& path) {
  const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  const auto number = [&](const char* name) -> int {
    const auto found = json.is_object() ? json.find(name) : json.end();
    if (found == json.end() || !found->is_number_integer() || *found < 0 || *found > 100000000) {
      throw bad_input(fmt::format("{}: damaged: its {} is not readable", path, name));
    }
    return found->get<int>();
  };
  Described out{{number("hidden"), number("visible"), number("stages")}};
  if (const auto look = json.find("acts_for"); look != json.end()) {
    if (*look != kMostLikely) throw bad_input(path + ": damaged: its acts_for is not readable");
    out.look = Look::kMostLikely;
  }
  return out;
}

std::string shape_text(const AlphaPolicy& policy) {
  const AlphaShape& shape = policy.shape();
  nlohmann::ordered_json out{{"alpha_vectors", true},
                             {"hidden", shape.hidden},
                             {"visible", shape.visible},
                             {"stages", shape.stages}};
  // Only where it says something, so that the files of before still open.
  if (policy.look() == Look::kMostLikely) out["acts_for"] = kMostLikely;
  return out.dump();
}

}  // namespace

void AlphaPolicy::save(TensorFile& file) const {
  const VectorSets& vectors = *vectors_;
  file.metadata["network"] = shape_text(*this);
  std::vector<std::int64_t> keys, actions;
  Tensor values{std::string(dtype_of<double>()),
                {vectors.total(), static_cast<std::int64_t>(vectors.hidden())},
                {}};
  values.data.reserve(sizeof(double) * vectors.total() * vectors.hidden());
  for (int key = 0; key < vectors.keys(); ++key) {
    for (int i = 0; i < vectors.size(key); ++i) {
      keys.push_back(key);
      actions.push_back(vectors.action(key, i));
      const auto alpha = std::as_bytes(vectors.vector(key, i));
      values.data.insert(values.data.end(), alpha.begin(), alpha.end());
    }
  }
  file.tensors["key"] = Tensor::of<std::int64_t>(keys);
  file.tensors["action"] = Tensor::of<std::int64_t>(actions);
  file.tensors["vectors"] = std::move(values);
}

std::shared_ptr<const AlphaPolicy> load_vectors(const TensorFile& file, const ProblemSpec& spec,
                                                const std::string& path) {
  const auto [shape, look] = parse_shape(file.metadata_at("network"), path);
  const BeliefReader reader(spec, shape, path);
  const std::int64_t keys = static_cast<std::int64_t>(std::max(1, shape.stages)) * shape.visible;
  const auto key = file.get<std::int64_t>("key"), action = file.get<std::int64_t>("action");
  const auto n = static_cast<std::int64_t>(key.size());
  const std::vector<double> values = file.finite<double>("vectors");
  file.get<double>("vectors", {n, shape.hidden});
  file.get<std::int64_t>("action", {n});
  if (keys > n) throw bad_input(path + ": damaged: not every seen value has a vector");
  auto vectors = std::make_shared<VectorSets>(static_cast<int>(keys), shape.hidden);
  for (std::int64_t i = 0; i < n; ++i) {
    if (key[i] < 0 || key[i] >= keys || action[i] < 0 || action[i] >= spec.actions.size()) {
      throw bad_input(fmt::format("{}: damaged: vector {} is of key {} and action {}", path, i,
                                  key[i], action[i]));
    }
    vectors->add(
        static_cast<int>(key[i]),
        std::span(values).subspan(static_cast<std::size_t>(i) * shape.hidden, shape.hidden),
        static_cast<int>(action[i]));
  }
  for (int k = 0; k < keys; ++k) {
    if (vectors->size(k) == 0)
      throw bad_input(fmt::format("{}: damaged: key {} is empty", path, k));
  }
  return std::make_shared<AlphaPolicy>(reader, std::move(vectors), spec.actions.size(), look);
}

}  // namespace bpo
