#include "bpo/runs/run_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <vector>

#include "bpo/core/config.h"
#include "bpo/core/error.h"

namespace bpo {
namespace {

constexpr const char* kList = ".files";
constexpr std::string_view kListMark = "bpo-run-1 ";  // the settings' hash follows
constexpr std::size_t kMostSettingsBytes = 1 << 20;

struct RunList {
  std::string settings;
  std::set<std::string> names;
};

/// Nothing where there is no list.
std::optional<RunList> read_list(const std::string& directory) {
  const std::string path = directory + "/" + kList;
  if (!exists(path)) return std::nullopt;
  std::istringstream lines(read_file(path, kMostSettingsBytes));
  std::string line;
  if (!std::getline(lines, line) || !line.starts_with(kListMark)) {
    throw bad_input(path +
                    ": not the list of a run's files; remove it or choose another directory");
  }
  RunList list{line.substr(kListMark.size()), {}};
  while (std::getline(lines, line)) {
    if (line.empty() || line == "." || line == ".." || line.find('/') != line.npos) {
      throw bad_input(fmt::format("{}: '{}' is not the name of a file", path, line.substr(0, 60)));
    }
    list.names.insert(line);
  }
  return list;
}

bool is_bookkeeping(const std::string& name) { return name == kList || name == RunLock::kName; }

[[noreturn]] void refuse_foreign(const std::string& directory, const std::string& name) {
  throw bad_input(fmt::format(
      "{}: is not empty and not a run (there is '{}'); choose another --out", directory, name));
}

}  // namespace

Occupancy occupancy(const std::string& directory) {
  const std::vector<std::string> names = names_in(directory);
  const bool has_config = std::find(names.begin(), names.end(), kConfigFile) != names.end();
  const std::optional<RunList> list = read_list(directory);
  if (has_config) return list ? Occupancy::kRun : Occupancy::kUnlisted;
  for (const std::string& name : names) {
    const auto made = [&](const std::string& listed) {
      return name == listed || name == part_name(listed);
    };
    const bool ours = is_bookkeeping(name) || name == part_name(kList) ||
                      (list && std::any_of(list->names.begin(), list->names.end(), made));
    if (!ours) refuse_foreign(directory, name);
  }
  return Occupancy::kFree;
}

namespace {

void check_occupancy(const std::string& directory, bool force) {
  const Occupancy found = occupancy(directory);
  if (found == Occupancy::kFree || (force && found == Occupancy::kRun)) return;
  RunLock::check(directory);
  if (found == Occupancy::kUnlisted && force) {
    throw bad_input(fmt::format(
        "{}: holds a run without its list of files ({}), so --force does not know what to "
        "remove; remove the directory yourself or choose another --out",
        directory, kList));
  }
  // A training has metrics from its beginning, a plan never.
  const bool trained = exists(directory + "/metrics.jsonl");
  throw bad_input(fmt::format(
      "{0}: holds a {1} already; {2} it with `bpo {3} {0}`, replace it with --force, or choose "
      "another --out",
      directory, trained ? "run" : "plan", trained ? "continue" : "look at",
      trained ? "resume" : "eval"));
}

}  // namespace

RunFiles::RunFiles(const std::string& directory) : directory_(directory), lock_(directory) {
  if (const auto list = read_list(directory)) listed_ = list->names;
  // What a killed process left half written.
  remove(part_name(kList));
  for (const std::string& name : listed_) remove(part_name(name));
}

void RunFiles::check_claim(const std::string& directory, bool force) {
  check_occupancy(directory, force);
  RunLock::check(directory);
}

RunFiles RunFiles::claim(const std::string& directory, bool force) {
  check_claim(directory, force);
  make_directories(directory);
  RunFiles files(directory);
  check_occupancy(directory, force);  // somebody may have come in between
  return files;
}

RunFiles RunFiles::open(const std::string& directory) { return RunFiles(directory); }

void RunFiles::begin(const std::string& toml) {
  for (const std::string& name : listed_) {
    if (name != kConfigFile) remove(name);
  }
  remove(kConfigFile);
  write_file_atomic(path(kList),
                    fmt::format("{}{}\n{}\n", kListMark, settings_hash(toml), kConfigFile));
  listed_ = {kConfigFile};
  write_file_atomic(path(kConfigFile), toml);
}

void RunFiles::list(const std::string& name) {
  if (listed_.contains(name)) return;
  const std::string path_of_list = path(kList);
  std::string text;
  if (!exists(path_of_list)) {
    const std::string settings =
        settings_hash(read_file(path(kConfigFile), kMostSettingsBytes), path(kConfigFile));
    text = fmt::format("{}{}\n{}\n", kListMark, settings, kConfigFile);
  } else if (!read_file(path_of_list, kMostSettingsBytes).ends_with('\n')) {
    text = "\n";  // the machine stopped in the middle of a name
  }
  AppendFile file(path_of_list);
  file.write(text + name + "\n");
  file.sync();
  listed_.insert(name);
}

void RunFiles::write(const std::string& name, std::string_view bytes) {
  list(name);
  write_file_atomic(path(name), bytes);
}

void RunFiles::write(const std::string& name, const Pieces& pieces) {
  list(name);
  write_file_atomic(path(name), pieces);
}

AppendFile RunFiles::append(const std::string& name) {
  list(name);
  return AppendFile(path(name));
}

std::string read_config(const std::string& directory) {
  const std::string path = directory + "/" + kConfigFile;
  const std::string toml = read_file(path, kMostSettingsBytes);
  const std::optional<RunList> list = read_list(directory);
  if (list && list->settings != settings_hash(toml, path)) {
    throw bad_input(fmt::format(
        "{}: was changed or cut since the run began; put it back as it was, or start a new run",
        path));
  }
  return toml;
}

std::string settings_hash(const std::string& toml, const std::string& name) {
  return Config::from_toml(toml, name).hash();
}

}  // namespace bpo
