// Problems that come from files. A kind of file registers a reader, which makes of a text what a
// problem of this program's own is: an entry with a name, options and a way to build it. The name
// carries a hash of the text ("maze@1f3a..."), so that two files are never taken for each other,
// and whoever keeps the text can open the problem anywhere.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bpo/core/any_problem.h"
#include "bpo/core/json.h"
#include "bpo/core/recording.h"

namespace bpo {

/// What there is to know of a file before anything is done with it.
struct FileFindings {
  using Rows = std::vector<std::vector<std::string>>;
  Rows facts, parts;  // the whole; below a head, a row for each part
  std::vector<std::string> notes;
  Json json = Json::object();
  bool fine = true;
};

/// A part of the latent by which actions act late, in seconds.
struct ActionDelay {
  std::string latent;
  double least = 0.0, most = 0.0;
};

/// Somebody who acts in the episodes that a check looks at: what was seen after t steps in, an
/// action out. An episode begins at t = 0.
using ActsOn = std::function<std::vector<double>(int t, std::span<const double> seen)>;

struct FileKind {
  /// The file's ending without the dot; of a TOML file, what its `kind` says or a table it has.
  std::string name, summary;
  /// Makes an entry of the text. `file` stands in error messages.
  std::function<ProblemEntry(const std::string& problem, const std::string& text,
                             const std::string& file)>
      read;
  /// Makes a text that stands alone of one that names other files, which are beside `file`; unless
  /// every text does.
  std::function<std::string(const std::string& text, const std::string& file)> pack = {};
  /// Looks closely at a file, if there is more to say than whether it can be read; also at what
  /// somebody does with it, if anybody is given.
  std::function<FileFindings(const std::string& text, const std::string& file, const ActsOn& who)>
      check = {};
  /// How its episodes are recorded as tables, if they can be.
  std::function<RecordingFormat(const std::string& text, const std::string& file)> recording = {};
  /// A commented file to start from, made of another program's file with this ending (".xml").
  std::string starts_from = {};
  std::function<std::string(const std::string& path)> start = {};
  /// By how much actions may act late, if they may.
  std::function<std::vector<ActionDelay>(const std::string& text, const std::string& file)> delays =
      {};
};

inline Registry<FileKind>& file_kinds() {
  static Registry<FileKind> registry("kind of problem file");
  return registry;
}

struct RegisterFileKind {
  explicit RegisterFileKind(FileKind kind) { file_kinds().add(std::move(kind)); }
};

/// A registered problem as a file to look at and to start from.
struct RegisterProblemText {
  RegisterProblemText(const std::string& problem, std::function<std::string()> text) {
    texts().emplace(problem, std::move(text));
  }
  static std::map<std::string, std::function<std::string()>>& texts() {
    static std::map<std::string, std::function<std::string()>> all;
    return all;
  }
};
/// The text of a problem file with all that belongs to it, or of a registered problem that has one.
std::string problem_text(const std::string& name_or_path);

/// The registered problem's name, or that of the problem in the file of this path, which is then
/// registered. Anything else is bad_input.
std::string open_problem(const std::string& name_or_path);
/// A policy's file holds its problem's in a header, which has a limit of its own.
inline constexpr std::size_t kMostProblemBytes = 90'000'000;
/// The text of a problem file that a person named.
std::string read_problem_file(const std::string& path);
/// Registers a problem that came from a file once, by the copy that was kept of it. A copy that is
/// not the one of this name is bad_input, which ends in the remedy.
void reopen_problem(const std::string& name, const std::string& text, const std::string& file,
                    const std::string& remedy);

/// What the file's kind finds out about it; nothing where it is no file or its kind has nothing to
/// say beyond reading it.
std::optional<FileFindings> check_file(const std::string& name_or_path, const ActsOn& who = {});
/// How episodes of a problem from a file are recorded, if its kind says so.
std::optional<RecordingFormat> file_recording(const ProblemEntry& entry);
/// By how much actions of a problem from a file may act late, by what its kind says.
std::vector<ActionDelay> file_delays(const ProblemEntry& entry);
/// A commented problem file, made of another program's file.
std::string start_file(const std::string& path);

/// ".pomdp": how a path ends, in small letters.
std::string ending_of(const std::string& path);
/// Whether a name is that of a problem from a file.
bool is_from_file(const std::string& problem);
/// "maze" of "maze@1f3a...": for people.
std::string short_name(const std::string& problem);

}  // namespace bpo
