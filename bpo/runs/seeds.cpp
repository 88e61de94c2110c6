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

Config with_seed(Config config, std::int64_t seed) {
  config.set(fmt::format("run.seed={}", seed));
  return config;
}

void check_seeds(const std::string& parent, const Config& config, std::int64_t first,
                 std::int64_t count, bool force) {
  if (is_run(parent)) {
    throw bad_input(fmt::format(
        "{0}: holds a run of its own, and seeds go into {0}/seed-N; choose another --out (--force "
        "replaces seeds only)",
        parent));
  }
  for (std::int64_t seed = first; seed < first + count; ++seed) {
    const std::string directory = seed_directory(parent, seed);
    if (occupancy(directory) == Occupancy::kFree || force) continue;
    if (resolved_toml(load_config(directory)) == resolved_toml(with_seed(config, seed))) continue;
    throw bad_input(fmt::format(
        "{}: holds a run with other settings; replace it with --force or choose another --out",
        directory));
  }
}

std::vector<std::string> runs_of(const std::string& directory) {
  std::vector<std::string> runs = seed_directories(directory);
  if (is_run(directory) || runs.empty()) return {directory};
  return runs;
}

}  // namespace bpo
