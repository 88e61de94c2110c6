#include "bpo/optimizers/model.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bpo/core/error.h"

namespace bpo {
namespace {

using Json = nlohmann::ordered_json;

// A network's own description is some 200 bytes; a longer one, which may be nested as deeply as it
// is long, is not worth reading.
constexpr std::size_t kMostText = 2048, kMostShown = 60;

/// An object, or null where the text is none.
Json parsed(const std::string& text) {
  if (text.size() > kMostText) return {};
  Json out = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  return out.is_object() ? out : Json{};
}

/// Where a network's description first differs from the wanted one, as a sentence's middle:
/// "hidden is 64 instead of 32".
std::string difference(const std::string& found, const std::string& wanted) {
  const Json was = parsed(found), is = parsed(wanted);
  const auto shown = [](const Json& all, const std::string& key) {
    const auto at = all.find(key);
    if (at == all.end()) return std::string("absent");
    return at->dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, kMostShown);
  };
  if (was.is_object() && is.is_object()) {
    for (const Json* keys : {&is, &was}) {
      for (const auto& [key, value] : keys->items()) {
        const std::string before = shown(was, key), after = shown(is, key);
        if (before != after) {
          return fmt::format("{} is {} instead of {}", key.substr(0, kMostShown), before, after);
        }
      }
    }
  }
  return fmt::format("description is '{}' instead of '{}'", found.substr(0, kMostShown),
                     wanted.substr(0, kMostShown));
}

}  // namespace

std::size_t Model::parameters() const {
  const TensorInfo& last = tensors().back();
  return last.offset + last.size();
}

std::unique_ptr<KeptPolicy> Model::read_policy(const TensorFile& file, bool greedy,
                                               const std::string& path) const {
  const std::string &found = file.metadata_at("network"), wanted = text();
  if (found != wanted) {
    throw bad_input(fmt::format("{}: its network is not the one that its settings make: its {}",
                                path, difference(found, wanted)));
  }
  return make_policy(load_tensors(tensors(), file), greedy);
}

}  // namespace bpo
