#include "bpo/cli/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "bpo/cli/seeds.h"

namespace bpo::cli {
namespace {

constexpr std::size_t kMostNamed = 3;

/// The settings that count and differ, of `other` beside those of `first`.
std::string difference(const std::string& first, const std::string& other,
                       const std::function<bool(const std::string& key)>& counts) {
  // What a run is comes before how it was made.
  const auto rank = [](const std::string& key) {
    return key.starts_with("run.") ? 0 : key.starts_with("problem.") ? 1 : 2;
  };
  const auto a = Config::from_toml(first, "config.toml").literals();
  const auto b = Config::from_toml(other, "config.toml").literals();
  std::set<std::pair<int, std::string>> keys;
  for (const auto* values : {&a, &b}) {
    for (const auto& [key, value] : *values) keys.emplace(rank(key), key);
  }
  std::vector<std::string> found;
  const auto shown = [](const auto& values, const std::string& key) {
    const auto at = values.find(key);
    return at == values.end() ? "absent" : at->second;
  };
  for (const auto& [order, key] : keys) {
    const std::string was = shown(a, key), is = shown(b, key);
    if (was != is && counts(key))
      found.push_back(fmt::format("{} = {} instead of {}", key, is, was));
  }
  if (found.size() > kMostNamed) {
    const std::size_t more = found.size() - kMostNamed;
    found.resize(kMostNamed);
    found.push_back(fmt::format("{} more", more));
  }
  return fmt::format("{}", fmt::join(found, ", "));
}

}  // namespace

std::string world_difference(const LoadedPolicy& first, const LoadedPolicy& other) {
  const std::vector<std::string>& agent = problems().at(first.run.problem).agent_options;
  return difference(first.toml, other.toml, [&](const std::string& key) {
    constexpr std::string_view kGroup = "problem.";
    if (key == "run.problem") return true;
    if (!key.starts_with(kGroup)) return false;
    return std::find(agent.begin(), agent.end(), key.substr(kGroup.size())) == agent.end();
  });
}

void check_one_training(const std::string& first_directory, const LoadedPolicy& first,
                        const std::string& other_directory, const LoadedPolicy& other) {
  check_one_problem(first_directory, first.run.problem, other_directory, other.run.problem);
  const std::string found =
      difference(first.toml, other.toml, [](const std::string& key) { return key != "run.seed"; });
  if (found.empty()) return;
  throw bad_input(
      fmt::format("{} is not another seed of {}: it has {}; name runs that differ one by one",
                  other_directory, first_directory, found));
}

}  // namespace bpo::cli
