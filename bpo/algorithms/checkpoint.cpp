#include "bpo/algorithms/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "bpo/core/tensorboard.h"
#include "bpo/planners/planner.h"

namespace bpo {
namespace {

constexpr const char* kCheckpointFormat = "bpo-checkpoint-2";
constexpr const char* kPolicyFormat = "bpo-policy-2";
const std::string kPart = "parts.";

std::string checksum(const TensorFile& file) {
  std::string crcs;
  for (const auto& [name, tensor] : file.tensors) {
    const std::string_view bytes(reinterpret_cast<const char*>(tensor.data.data()),
                                 tensor.data.size());
    crcs += fmt::format("{}:{:08x};", name, crc32c(bytes));
  }
  return fmt::format("{:08x}", crc32c(crcs));
}

void seal(TensorFile& file, const char* format, const RunIdentity& run) {
  file.metadata["format"] = format;
  file.metadata["problem"] = run.problem;
  file.metadata["algorithm"] = run.algorithm;
  file.metadata["seed"] = std::to_string(run.seed);
  file.metadata["settings"] = run.settings;
  file.metadata["crc32c"] = checksum(file);
}

void expect(const TensorFile& file, const std::string& path, const std::string& key,
            const std::string& wanted) {
  const std::string& found = file.metadata_at(key);
  if (found == wanted) return;
  throw bad_input(fmt::format("{}: its {} is '{}', but the run's is '{}'", path, key,
                              found.substr(0, 60), wanted));
}

TensorFile load_sealed(const std::string& path, const char* format, const RunIdentity& run) {
  TensorFile file = TensorFile::load(path);
  if (const std::string& found = file.metadata_at("format"); found != format) {
    throw bad_input(fmt::format(
        "{}: its format is '{}', and this version reads {}; train again, or use the version that "
        "wrote it",
        path, found.substr(0, 60), format));
  }
  expect(file, path, "problem", run.problem);
  expect(file, path, "algorithm", run.algorithm);
  expect(file, path, "seed", std::to_string(run.seed));
  if (file.metadata_at("crc32c") != checksum(file)) {
    throw bad_input(path + ": damaged: its data does not match its checksum");
  }
  if (file.metadata_at("settings") != run.settings) {
    throw bad_input(path +
                    ": was written with other settings than the config.toml beside it has now; put "
                    "back the one it belongs to, or train again");
  }
  return file;
}

template <TensorElement T>
void put(TensorFile& file, const std::string& name, std::span<const T> values) {
  file.tensors[name] = Tensor::of<T>(values);
}

template <TensorElement T>
std::vector<T> finite(const TensorFile& file, const std::string& path, const std::string& name) {
  const std::span<const T> values = file.get<T>(name);
  if (!std::all_of(values.begin(), values.end(), [](T x) { return std::isfinite(x); })) {
    throw bad_input(fmt::format("{}: {}: holds a number that is not finite", path, name));
  }
  return {values.begin(), values.end()};
}

/// The counters of a state in the order of their tensor.
auto counters(auto& state) {
  return std::tie(state.iteration, state.best_iteration, state.rejected, state.rejected_in_a_row,
                  state.steps, state.filter_fallbacks, state.faults);
}
constexpr int kCounters = 7, kFlags = 2;

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

}  // namespace

void RunIdentity::visit(OptionVisitor& v) {
  v.choice("problem", problem, problems().names(), "what is trained on");
  std::vector<std::string> ways = algorithms().names();
  for (const std::string& planner : planners().names()) ways.push_back(planner);
  v.choice("algorithm", algorithm, ways, "how");
  v.integer("seed", seed, {0, 9e18}, "of every random number");
}

TensorFile checkpoint_tensors(const Checkpoint& checkpoint, const RunIdentity& run) {
  const TrainState& state = checkpoint.state;
  TensorFile file;
  put<float>(file, "theta", state.theta);
  put<float>(file, "best_theta", state.best_theta);
  std::vector<std::int64_t> numbers;
  std::apply([&](const auto&... n) { (numbers.push_back(n), ...); }, counters(state));
  put<std::int64_t>(file, "counters", numbers);
  const std::array<std::uint8_t, kFlags> flags{state.has_best, state.settled};
  put<std::uint8_t>(file, "flags", flags);
  const std::array<double, 2> scores{state.best_score, checkpoint.seconds};
  put<double>(file, "best_score_and_seconds", scores);
  put<std::uint64_t>(file, "metrics_bytes", std::span(&checkpoint.metrics_bytes, 1));
  for (const auto& [name, values] : state.parts) put<double>(file, kPart + name, values);
  seal(file, kCheckpointFormat, run);
  return file;
}

Checkpoint load_checkpoint(const std::string& path, const RunIdentity& run,
                           const Trainer& trainer) {
  const TensorFile file = load_sealed(path, kCheckpointFormat, run);
  const TrainState fresh = trainer.save();
  Checkpoint out;
  TrainState& state = out.state;
  state.theta = finite<float>(file, path, "theta");
  state.best_theta = finite<float>(file, path, "best_theta");
  const auto numbers = file.get<std::int64_t>("counters", {kCounters});
  if (std::any_of(numbers.begin(), numbers.end(), [](auto n) { return n < 0; })) {
    throw bad_input(path + ": counters: a negative count");
  }
  std::apply([it = numbers.begin()](auto&... n) mutable { ((n = *it++), ...); }, counters(state));
  const auto flags = file.get<std::uint8_t>("flags", {kFlags});
  state.has_best = flags[0] != 0;
  state.settled = flags[1] != 0;
  file.get<double>("best_score_and_seconds", {2});
  const auto scores = finite<double>(file, path, "best_score_and_seconds");
  state.best_score = scores[0];
  out.seconds = scores[1];
  out.metrics_bytes = file.get<std::uint64_t>("metrics_bytes", {1})[0];
  for (const auto& [name, values] : fresh.parts) {
    state.parts[name] = finite<double>(file, path, kPart + name);
    // A part that begins empty checks its own size when it is loaded.
    if (!values.empty() && state.parts[name].size() != values.size()) {
      throw bad_input(fmt::format("{}: {}{}: {} numbers, not {}", path, kPart, name,
                                  state.parts[name].size(), values.size()));
    }
  }
  return out;
}

TensorFile policy_tensors(const NetworkPolicy& policy, const RunIdentity& run) {
  TensorFile file;
  for (const TensorInfo& info : policy.network().tensors()) {
    const auto values = std::span(policy.theta()).subspan(info.offset, info.size());
    file.tensors[info.name] = Tensor::of<float>(values, info.shape);
  }
  const NetworkSpec& spec = policy.network().spec();
  file.metadata["sees"] = sees_name(policy.sees());
  file.metadata["encoders"] = spec.encoders ? "true" : "false";
  file.metadata["hidden"] = std::to_string(spec.hidden);
  seal(file, kPolicyFormat, run);
  return file;
}

NetworkPolicy load_policy(const std::string& path, const RunIdentity& run,
                          const NetworkSpec& network_spec, Sees sees, bool greedy) {
  const TensorFile file = load_sealed(path, kPolicyFormat, run);
  expect(file, path, "sees", sees_name(sees));
  expect(file, path, "encoders", network_spec.encoders ? "true" : "false");
  expect(file, path, "hidden", std::to_string(network_spec.hidden));
  auto network = std::make_shared<const Network>(network_spec);
  std::vector<float> theta(network->parameters());
  for (const TensorInfo& info : network->tensors()) {
    file.get<float>(info.name, info.shape);
    const std::vector<float> values = finite<float>(file, path, info.name);
    std::copy(values.begin(), values.end(), theta.begin() + info.offset);
  }
  return NetworkPolicy(std::move(network), std::move(theta), sees, greedy);
}

}  // namespace bpo
