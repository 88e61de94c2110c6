#include "bpo/agent/bundle.h"

#include <fmt/format.h>

#include <utility>

#include "bpo/agent/meaning.h"
#include "bpo/core/file.h"
#include "bpo/core/problem_file.h"
#include "bpo/core/tensorboard.h"

namespace bpo {
namespace {

constexpr const char* kFormat = "bpo-policy-3";
constexpr const char* kDescription[] = {"network", "meaning", "config", "problem_file",
                                        "problem_source"};
constexpr const char* kAnew =
    "train anew with `bpo train --config RUN/config.toml --out NEW`, or use the version that wrote "
    "it";
constexpr const char* kWriteAgain =
    "copy the file anew, or remove it and let `bpo resume RUN` write it from its run's checkpoint "
    "(one of APPL's: `bpo import-policy`)";
constexpr const char* kOtherProgram =
    "use the version or build that wrote the file, or train anew with settings that this one knows";

Meaning parse_meaning(const TensorFile& file, const std::string& path) {
  // Whoever compares two meanings goes as deep as they are nested.
  constexpr int kDeepest = 16;
  bool deep = false;
  const auto note_depth = [&](int depth, Meaning::parse_event_t, Meaning&) {
    deep = deep || depth > kDeepest;
    return depth <= kDeepest;
  };
  Meaning out = Meaning::parse(file.metadata_at("meaning"), note_depth, /*allow_exceptions=*/false);
  if (deep || !out.is_object()) throw bad_input(path + ": damaged: its meaning is not readable");
  return out;
}

/// The changes that change anything, as "problem.grid = endpoints".
std::string shown(const Config& changes, const Config& trained) {
  std::vector<std::string> out;
  const auto before = trained.literals();
  for (const auto& [key, value] : changes.literals()) {
    const auto at = before.find(key);
    if (at == before.end() || at->second != value) {
      out.push_back(fmt::format("{} = {}", key, value));
    }
  }
  return fmt::format("{}", fmt::join(out, ", "));
}

/// The checksum of the texts; that of the tensors is the seal's.
std::string description_checksum(const TensorFile& file) {
  std::string parts;
  for (const char* key : kDescription) parts += fmt::format("{};", crc32c(file.metadata_at(key)));
  return fmt::format("{:08x}", crc32c(parts));
}

/// Says beside what is wrong with a file what would work.
template <class Call>
auto with_remedy(const std::string& path, const std::string& remedy, Call call) {
  try {
    return call();
  } catch (const Error& error) {
    const std::string what = error.what();
    const auto says = [&](const std::string& words) { return what.find(words) != what.npos; };
    const bool bad = error.code() == ErrorCode::kBadInput;
    if (!bad || remedy.empty() || !exists(path) || says(kAnew) || says(kWriteAgain)) throw;
    throw bad_input(fmt::format("{}; {}", what, remedy));
  }
}

TensorFile load_sound(const std::string& path) {
  return with_remedy(path, kWriteAgain, [&] {
    TensorFile file = load_sealed(path, kFormat, kAnew);
    if (file.metadata_at("description_crc32c") != description_checksum(file)) {
      throw bad_input(path + ": damaged: its description does not match its checksum");
    }
    return file;
  });
}

/// What the policy in the file was trained to see.
Sees sees_of(const Meaning& meaning) {
  if (meaning.contains("belief")) return Sees::kBelief;
  if (meaning.contains("estimate")) return Sees::kEstimate;
  return meaning.contains("latent") ? Sees::kLatent : Sees::kNothing;
}

/// The settings that a sound file holds, and the problem's own file if it came from one.
Config settings_of(const TensorFile& file, const std::string& path) {
  Config out = with_remedy(path, kWriteAgain, [&] {
    return Config::from_toml(file.metadata_at("config"), path + ": config");
  });
  const std::string problem = out.text("run.problem");
  if (is_from_file(problem)) {
    with_remedy(path, kOtherProgram, [&] {
      reopen_problem(problem, file.metadata_at("problem_source"),
                     path + ": " + file.metadata_at("problem_file"), kWriteAgain);
    });
  } else if (!problems().contains(problem)) {
    throw bad_input(fmt::format("{}: its problem '{}' is not in this program; {}", path,
                                problem.substr(0, 60), kOtherProgram));
  }
  return out;
}

/// What `call` reads of the settings with their changes. What it refuses is the changes' fault, if
/// it takes the settings as they were.
template <class Call>
auto read_settings(const std::string& path, const Config& trained, Config& config, Call call) {
  try {
    return call(config);
  } catch (const Error&) {
    Config alone = trained;
    try {
      call(alone);
    } catch (const Error& error) {
      const std::string what = error.what();
      // What is not about one of the values has advice of its own.
      if (what.find(path) == what.npos) throw Error(error.code(), path + ": " + what);
      throw Error(error.code(), fmt::format("{}; {}", what, kOtherProgram));
    }
    throw;
  }
}

/// A problem with options that the settings do not name may be another than the policy's.
void check_problem_is_said(const std::vector<std::string>& unsaid, const std::string& path) {
  for (const std::string& key : unsaid) {
    if (!key.starts_with("problem.")) continue;
    throw bad_input(fmt::format(
        "{}: its settings do not say {}, an option that is newer than they; say what it was "
        "(--set {}=...), or {}",
        path, key, key, kAnew));
  }
}

/// What would work where the policy in a sound file cannot be made: with settings that lack what is
/// newer, with such changes, or as it was trained.
std::string remedy_of(const std::vector<std::string>& newer, const std::string& changes) {
  if (!newer.empty()) {
    return fmt::format("its settings do not say {}, newer than they; {}", fmt::join(newer, ", "),
                       kAnew);
  }
  if (!changes.empty()) return "open it without " + changes;
  return kWriteAgain;
}

}  // namespace

std::vector<std::string> unsaid(const Config& settings, const std::string& resolved) {
  std::vector<std::string> out;
  for (const auto& [key, value] : Config::from_toml(resolved, "config").literals()) {
    if (settings.is_default(key)) out.push_back(key);
  }
  return out;
}

TensorFile bundle_of(const KeptPolicy& policy, const AnyProblem& problem, const std::string& toml,
                     const RunIdentity& run) {
  TensorFile file;
  policy.save(file);
  file.metadata["meaning"] = meaning_of(problem, policy.sees()).dump();
  file.metadata["config"] = toml;
  const ProblemEntry& entry = problems().at(run.problem);
  file.metadata["problem_file"] = entry.source_file;
  file.metadata["problem_source"] = entry.source;
  file.metadata["description_crc32c"] = description_checksum(file);
  seal(file, kFormat, run);
  return file;
}

LoadedPolicy open_bundle(const std::string& path, const Config& changes, bool greedy,
                         const RunIdentity* owner) {
  const TensorFile file = load_sound(path);
  const Config trained = settings_of(file, path);
  LoadedPolicy out{.greedy = greedy};
  Config config = trained;
  config.merge(changes);
  const auto run_of = [](Config& settings) {
    RunIdentity run;
    settings.read("run", run);
    return run;
  };
  out.run = read_settings(path, trained, config, run_of);
  out.run.settings = trained.hash();
  with_remedy(path, kWriteAgain, [&] {
    if (owner != nullptr) check_belongs(file, path, *owner);
    check_belongs(file, path, out.run);
  });
  const SolverSetup setup = read_settings(path, trained, config, [&](Config& settings) {
    const RunIdentity run = run_of(settings);
    return solvers().at(run.algorithm).resolve(run.problem, settings);
  });
  out.toml = config.to_toml();
  const std::vector<std::string> newer = unsaid(config, out.toml);
  check_problem_is_said(newer, path);
  out.problem = setup.problem.build();
  const Meaning meaning = with_remedy(path, kWriteAgain, [&] { return parse_meaning(file, path); });
  if (const std::string found = difference(meaning, meaning_of(*out.problem, sees_of(meaning)));
      !found.empty()) {
    const std::string why = shown(changes, trained);
    throw bad_input(
        why.empty()
            ? fmt::format("{}: in this version of {} {}; {}", path, out.run.problem, found, kAnew)
            : fmt::format("{}: with {} {} in the policy's eyes; such a change needs a new training",
                          path, why, found));
  }
  out.policy = with_remedy(path, remedy_of(newer, shown(changes, trained)),
                           [&] { return setup.solver->read(file, *out.problem, greedy, path); });
  return out;
}

}  // namespace bpo
