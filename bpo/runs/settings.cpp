#include "bpo/runs/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>
#include <vector>

namespace bpo {
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

Config config_of(const std::vector<std::string>& sets, const std::string& prefix) {
  Config config;
  for (const std::string& assignment : sets) {
    if (!assignment.starts_with(prefix)) {
      throw bad_input(
          fmt::format("--set {}: only {}* can be set here", assignment.substr(0, 80), prefix));
    }
    config.set(assignment);
  }
  return config;
}

std::string world_difference(const LoadedPolicy& first, const LoadedPolicy& other) {
  const std::vector<std::string>& agent = problems().at(first.run.problem).agent_options;
  return difference(first.toml, other.toml, [&](const std::string& key) {
    constexpr std::string_view kGroup = "problem.";
    if (key == "run.problem") return true;
    if (!key.starts_with(kGroup)) return false;
    return std::find(agent.begin(), agent.end(), key.substr(kGroup.size())) == agent.end();
  });
}

void check_one_problem(const LoadedPolicy& first, const LoadedPolicy& other) {
  if (first.run.problem == other.run.problem) return;
  throw bad_input(fmt::format("{} is a run of {}, {} of {}: name runs of one problem",
                              first.directory, first.run.problem, other.directory,
                              other.run.problem));
}

void check_one_training(const LoadedPolicy& first, const LoadedPolicy& other) {
  check_one_problem(first, other);
  const std::string found =
      difference(first.toml, other.toml, [](const std::string& key) { return key != "run.seed"; });
  if (found.empty()) return;
  throw bad_input(
      fmt::format("{} is not another seed of {}: it has {}; name runs that differ one by one",
                  other.directory, first.directory, found));
}

}  // namespace bpo
