#include "bpo/agent/bundle.h"

#include <fmt/format.h>

#include <utility>

#include "bpo/agent/alpha_bundle.h"
#include "bpo/agent/meaning.h"
#include "bpo/core/file.h"
#include "bpo/core/problem_file.h"
#include "bpo/core/tensorboard.h"

namespace bpo {
namespace {

constexpr const char* kFormat = "bpo-policy-3";
constexpr const char* kDescription[] = {"network", "meaning", "config", "problem_file",
                                        "problem_source"};
constexpr const char* kRemedy =
    "`bpo resume RUN` writes the policy of a run anew from its checkpoint, if the run is there";

std::string sees_name(Sees sees) {
  switch (sees) {
    case Sees::kBelief:
      return "belief";
    case Sees::kEstimate:
      return "estimate";
    case Sees::kLatent:
      return "latent";
    case Sees::kNothing:
      return "nothing";
  }
  return "";
}

/// How the inputs are transformed and what they go through.
std::string network_text(const NetworkSpec& spec, Sees sees) {
  nlohmann::ordered_json out{{"sees", sees_name(sees)},
                             {"state_inputs", spec.state_dim},
                             {"belief_inputs", spec.belief_dim},
                             {"belief_scale", spec.belief_scale},
                             {"belief_basis", spec.belief_basis.empty() ? "none" : "cosine"},
                             {"encoders", spec.encoders},
                             {"hidden", spec.hidden},
                             {"outputs", spec.outputs},
                             {"gaussian", spec.gaussian}};
  // Only where they say something, so that the files of before still open.
  if (spec.log_at >= 0) out["log_at"] = spec.log_at;
  if (spec.goal_at >= 0) out["goal_at"] = spec.goal_at;
  if (spec.own_spread) out["own_spread"] = true;
  return out.dump();
}

NetworkPolicy network_in(const TensorFile& file, const std::string& path, const NetworkSpec& spec,
                         Sees sees, bool greedy) {
  const std::string &found = file.metadata_at("network"), wanted = network_text(spec, sees);
  if (found != wanted) {
    throw bad_input(fmt::format("{}: has the network {}, but its settings make {}", path,
                                found.substr(0, 300), wanted));
  }
  auto network = std::make_shared<const Network>(spec);
  std::vector<float> theta = load_tensors(network->tensors(), file);
  return NetworkPolicy(std::move(network), std::move(theta), sees, greedy);
}

Meaning parse_meaning(const TensorFile& file, const std::string& path) {
  Meaning out = Meaning::parse(file.metadata_at("meaning"), nullptr, /*allow_exceptions=*/false);
  if (!out.is_object()) throw bad_input(path + ": damaged: its meaning is not readable");
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
auto with_remedy(const std::string& path, Call call) {
  try {
    return call();
  } catch (const Error& error) {
    const std::string what = error.what();
    const bool bad = error.code() == ErrorCode::kBadInput;
    if (!bad || !exists(path) || what.find(kRemedy) != what.npos) throw;
    throw bad_input(fmt::format("{}; copy the file anew; {}", what, kRemedy));
  }
}

TensorFile load_sound(const std::string& path) {
  return with_remedy(path, [&] {
    TensorFile file = load_sealed(path, kFormat, kRemedy);
    if (file.metadata_at("description_crc32c") != description_checksum(file)) {
      throw bad_input(path + ": damaged: its description does not match its checksum");
    }
    return file;
  });
}

/// Adds all that makes a bundle of the tensors and their text.
void describe(const AnyProblem& problem, Sees sees, const std::string& toml, const RunIdentity& run,
              TensorFile& file) {
  file.metadata["meaning"] = meaning_of(problem, sees).dump();
  file.metadata["config"] = toml;
  const ProblemEntry& entry = problems().at(run.problem);
  file.metadata["problem_file"] = entry.source_file;
  file.metadata["problem_source"] = entry.source;
  file.metadata["description_crc32c"] = description_checksum(file);
  seal(file, kFormat, run);
}

}  // namespace

TensorFile bundle_of(const NetworkPolicy& policy, const AnyProblem& problem,
                     const std::string& toml, const RunIdentity& run) {
  TensorFile file;
  save_tensors(policy.network().tensors(), policy.theta(), file);
  file.metadata["network"] = network_text(policy.network().spec(), policy.sees());
  describe(problem, policy.sees(), toml, run, file);
  return file;
}

TensorFile bundle_of(const AlphaPolicy& policy, const AnyProblem& problem, const std::string& toml,
                     const RunIdentity& run) {
  TensorFile file;
  save_vectors(policy, file);
  file.metadata["network"] = shape_text(policy);
  describe(problem, Sees::kBelief, toml, run, file);
  return file;
}

LoadedPolicy open_bundle(const std::string& path, const Config& changes, bool greedy,
                         const RunIdentity* owner) {
  const TensorFile file = load_sound(path);
  const Config trained = Config::from_toml(file.metadata_at("config"), path + ": config");
  if (const std::string problem = trained.text("run.problem"); is_from_file(problem)) {
    reopen_problem(problem, file.metadata_at("problem_source"), file.metadata_at("problem_file"));
  }
  LoadedPolicy out{.greedy = greedy};
  Config config = trained;
  config.merge(changes);
  config.read("run", out.run);
  out.run.settings = trained.hash();
  if (owner != nullptr) check_belongs(file, path, *owner);
  with_remedy(path, [&] { check_belongs(file, path, out.run); });
  const SolverEntry& solver = solvers().at(out.run.algorithm);
  std::optional<TrainSettings> settings;
  if (solver.kind == SolverKind::kPlanner) {
    out.problem = solver.resolve(out.run.problem, config).problem.build();
  } else {
    settings = resolve_setup(out.run.problem, out.run.algorithm, config);
    out.problem = settings->problem.build();
  }
  out.toml = config.to_toml();
  const ProblemSpec& spec = out.problem->spec();
  const Sees sees = settings ? settings->method.sees : Sees::kBelief;
  if (const std::string found =
          difference(parse_meaning(file, path), meaning_of(*out.problem, sees));
      !found.empty()) {
    const std::string why = shown(changes, trained);
    throw bad_input(
        why.empty()
            ? fmt::format("{}: in this version of {} {}; train again, or use the version that "
                          "wrote it",
                          path, out.run.problem, found)
            : fmt::format("{}: with {} {} in the policy's eyes; such a change needs a new training",
                          path, why, found));
  }
  if (!settings) {
    out.policy = load_vectors(file, file.metadata_at("network"), spec, path);
    return out;
  }
  out.policy = std::make_shared<NetworkPolicy>(
      network_in(file, path, network_spec(spec, settings->method, settings->train), sees, greedy));
  return out;
}

bool is_outdated_bundle(const std::string& path) {
  const auto metadata = TensorFile::load(path).metadata;
  const auto format = metadata.find("format");
  return format != metadata.end() &&
         (format->second == "bpo-policy-1" || format->second == "bpo-policy-2");
}

}  // namespace bpo
