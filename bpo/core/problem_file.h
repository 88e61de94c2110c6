// Problems that come from files. A kind of file registers a reader, which makes of a text what a
// problem of this program's own is: an entry with a name, options and a way to build it. The name
// carries a hash of the text ("maze@1f3a..."), so that two files are never taken for each other,
// and whoever keeps the text can open the problem anywhere.
#pragma once

#include <functional>
#include <string>

#include "bpo/core/any_problem.h"

namespace bpo {

struct FileKind {
  /// The file's ending without the dot; of a TOML file, what its `kind` says.
  std::string name, summary;
  /// Makes an entry of the text. `file` stands in error messages.
  std::function<ProblemEntry(const std::string& problem, const std::string& text,
                             const std::string& file)>
      read;
};

inline Registry<FileKind>& file_kinds() {
  static Registry<FileKind> registry("kind of problem file");
  return registry;
}

struct RegisterFileKind {
  explicit RegisterFileKind(FileKind kind) { file_kinds().add(std::move(kind)); }
};

/// The registered problem's name, or that of the problem in the file of this path, which is then
/// registered. Anything else is bad_input.
std::string open_problem(const std::string& name_or_path);
/// The text of a problem file that a person named.
std::string read_problem_file(const std::string& path);
/// Registers a problem that came from a file once, by the copy that was kept of it. A copy that is
/// not the one of this name is bad_input.
void reopen_problem(const std::string& name, const std::string& text, const std::string& file);

/// Whether a name is that of a problem from a file.
bool is_from_file(const std::string& problem);
/// "maze" of "maze@1f3a...": for people.
std::string short_name(const std::string& problem);

}  // namespace bpo
