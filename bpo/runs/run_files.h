// Who may write into a run directory, and what: one process at a time, and only files that it puts
// on the run's list (".files") before it makes them. Replacing a run removes what is listed and
// nothing else, so a file that somebody else put there is never lost.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "bpo/core/file.h"

namespace bpo {

inline constexpr const char* kConfigFile = "config.toml";

/// What a directory is to someone who wants to put a run there.
enum class Occupancy {
  kFree,     // it does not exist, is empty, or holds what a start that was killed left behind
  kRun,      // a run with its list
  kUnlisted  // a run that came without its list: it can be continued, but not replaced
};
/// Throws bad_input where the directory holds something that is not a run.
Occupancy occupancy(const std::string& directory);

class RunFiles {
 public:
  /// Makes the directory, or takes a free one; with `force` also one that holds a run. Another
  /// process in it is kLocked, anything else bad_input; what is refused stays as it was.
  static RunFiles claim(const std::string& directory, bool force);
  /// Throws what claim() would refuse now, and makes nothing.
  static void check_claim(const std::string& directory, bool force);
  /// Locks a run that is there, to go on with it.
  static RunFiles open(const std::string& directory);

  const std::string& directory() const { return directory_; }
  std::string path(const std::string& name) const { return directory_ + "/" + name; }

  /// Removes the run that is there, its config.toml last, and starts a new list and config.toml.
  void begin(const std::string& toml);

  void write(const std::string& name, std::string_view bytes);
  void write(const std::string& name, const Pieces& pieces);
  AppendFile append(const std::string& name);
  void remove(const std::string& name) { remove_file(path(name)); }
  /// Says that a file of this name is about to be made.
  void list(const std::string& name);

 private:
  explicit RunFiles(const std::string& directory);

  std::string directory_;
  RunLock lock_;
  std::set<std::string> listed_;
};

/// config.toml of the run, checked against the list: one that was cut or edited since is refused.
std::string read_config(const std::string& directory);
/// Tells configurations apart by their keys and values; comments and layout do not count. `name`
/// stands in error messages.
std::string settings_hash(const std::string& toml, const std::string& name = "config.toml");

}  // namespace bpo
