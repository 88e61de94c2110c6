#include "bpo/core/problem_file.h"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>

#include "bpo/core/file.h"
#include "bpo/core/hash.h"
#include "bpo/core/toml.h"

namespace bpo {
namespace {

bool is_path(const std::string& name_or_path) {
  return name_or_path.find_first_of("/.") != std::string::npos;
}

Error no_kind(const std::string& place, const std::string& kind) {
  return bad_input(fmt::format("{}: '{}' is no kind of problem file; there are: {}", place, kind,
                               fmt::join(file_kinds().names(), ", ")));
}

/// What follows the last dot, or what a TOML file says of itself.
std::string kind_of(const std::string& text, const std::string& file) {
  const std::string suffix = ending_of(file);
  if (suffix != ".toml") return suffix.empty() ? "" : suffix.substr(1);
  const toml::table table = parse_toml(text, file);
  if (const auto kind = table["kind"].value<std::string>()) {
    if (file_kinds().contains(*kind)) return *kind;
    throw no_kind(place_in(file, table["kind"].node()->source().begin), *kind);
  }
  for (const std::string& name : file_kinds().names()) {
    if (table[name].is_table()) return name;
  }
  throw bad_input(fmt::format("{}: a problem in TOML says what it is, as kind = \"{}\"", file,
                              fmt::join(file_kinds().names(), "\" or \"")));
}

/// Letters, digits and dashes of the file's stem: part of a name that also names directories.
std::string stem_of(const std::string& file) {
  std::string out;
  for (const char c : std::filesystem::path(file).stem().string()) {
    out += std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' ? c : '-';
  }
  return out.empty() ? "problem" : out;
}

const FileKind& kind_in(const std::string& text, const std::string& file) {
  const std::string kind = kind_of(text, file);
  if (file_kinds().contains(kind)) return file_kinds().at(kind);
  throw no_kind(file, kind);
}

void add(const std::string& name, const std::string& text, const std::string& file) {
  if (problems().contains(name)) return;
  ProblemEntry entry = kind_in(text, file).read(short_name(name), text, file);
  entry.name = name;
  entry.source = text;
  entry.source_file = "problem" + ending_of(file);
  problems().add(std::move(entry));
}

}  // namespace

std::string open_problem(const std::string& name_or_path) {
  if (problems().contains(name_or_path)) return name_or_path;
  if (!is_path(name_or_path)) return problems().at(name_or_path).name;  // says what there is
  std::string text = read_problem_file(name_or_path);
  if (const FileKind& kind = kind_in(text, name_or_path); kind.pack) {
    text = kind.pack(text, name_or_path);
  }
  const std::string name = fmt::format("{}@{}", stem_of(name_or_path), hash_of(text));
  add(name, text, name_or_path);
  return name;
}

std::string read_problem_file(const std::string& path) {
  return read_file(path, kMostProblemBytes, Links::kFollowed);
}

std::string problem_text(const std::string& name_or_path) {
  const std::string name = open_problem(name_or_path);
  if (const std::string& source = problems().at(name).source; !source.empty()) return source;
  const auto& texts = RegisterProblemText::texts();
  if (const auto found = texts.find(name); found != texts.end()) return found->second();
  std::vector<std::string> known;
  for (const auto& [problem, text] : texts) known.push_back(problem);
  throw bad_input(
      fmt::format("{} is no file; files there are of {}; `bpo write-problem` writes "
                  "finite problems",
                  name, fmt::join(known, ", ")));
}

void reopen_problem(const std::string& name, const std::string& text, const std::string& file,
                    const std::string& remedy) {
  if (name != fmt::format("{}@{}", short_name(name), hash_of(text))) {
    throw bad_input(fmt::format("{}: is not the file that the run began with; {}", file, remedy));
  }
  add(name, text, file);
}

std::optional<FileFindings> check_file(const std::string& name_or_path, const ActsOn& who) {
  if (problems().contains(name_or_path) || !is_path(name_or_path)) return std::nullopt;
  const std::string text = read_problem_file(name_or_path);
  const FileKind& kind = kind_in(text, name_or_path);
  return kind.check ? std::optional(kind.check(text, name_or_path, who)) : std::nullopt;
}

std::optional<RecordingFormat> file_recording(const ProblemEntry& entry) {
  if (entry.source.empty()) return std::nullopt;
  const FileKind& kind = kind_in(entry.source, entry.source_file);
  return kind.recording ? std::optional(kind.recording(entry.source, entry.source_file))
                        : std::nullopt;
}

std::vector<ActionDelay> file_delays(const ProblemEntry& entry) {
  if (entry.source.empty()) return {};
  const FileKind& kind = kind_in(entry.source, entry.source_file);
  return kind.delays ? kind.delays(entry.source, entry.source_file) : std::vector<ActionDelay>{};
}

std::string start_file(const std::string& path) {
  const std::string suffix = ending_of(path);
  std::vector<std::string> known;
  for (const auto& [name, kind] : file_kinds().entries()) {
    if (kind.start && kind.starts_from == suffix) return kind.start(path);
    if (kind.start) known.push_back(kind.starts_from);
  }
  throw bad_input(fmt::format("{}: a file to start from is made of {}", path,
                              known.empty() ? "nothing in this build, which has no MuJoCo"
                                            : fmt::format("{}", fmt::join(known, ", "))));
}

std::string ending_of(const std::string& path) {
  std::string out = std::filesystem::path(path).extension().string();
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

bool is_from_file(const std::string& problem) { return problem.find('@') != std::string::npos; }

std::string short_name(const std::string& problem) { return problem.substr(0, problem.find('@')); }

}  // namespace bpo
