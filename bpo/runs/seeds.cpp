#include "bpo/runs/seeds.h"

#include <fmt/format.h>

#include <charconv>
#include <map>

#include "bpo/runs/run.h"

namespace bpo {
namespace {

const std::string kPrefix = "seed-";

}  // namespace

std::string seed_directory(const std::string& parent, std::int64_t seed) {
  const std::string path = fmt::format("{}/{}{}", parent, kPrefix, seed);
  refuse_link(path);
  return path;
}

std::vector<std::string> seed_directories(const std::string& parent) {
  std::map<std::int64_t, std::string> found;
  for (const std::string& name : names_in(parent)) {
    const std::string path = parent + "/" + name;
    if (!name.starts_with(kPrefix) || !is_run(path)) continue;
    std::int64_t seed = 0;
    const char* end = name.data() + name.size();
    if (std::from_chars(name.data() + kPrefix.size(), end, seed).ptr != end) continue;
    found[seed] = path;
  }
  std::vector<std::string> out;
  for (const auto& [seed, path] : found) out.push_back(path);
  return out;
}

std::vector<std::string> runs_of(const std::string& directory) {
  std::vector<std::string> runs = seed_directories(directory);
  if (is_run(directory) || runs.empty()) return {directory};
  return runs;
}

}  // namespace bpo
