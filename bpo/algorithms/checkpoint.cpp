#include "bpo/algorithms/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace bpo {
namespace {

constexpr const char* kCheckpointFormat = "bpo-checkpoint-2";
const std::string kPart = "parts.";

template <TensorElement T>
void put(TensorFile& file, const std::string& name, std::span<const T> values) {
  file.tensors[name] = Tensor::of<T>(values);
}

/// The counters of a state in the order of their tensor.
auto counters(auto& state) {
  return std::tie(state.iteration, state.best_iteration, state.rejected, state.rejected_in_a_row,
                  state.steps, state.filter_fallbacks, state.faults);
}
constexpr int kCounters = 7, kFlags = 2;

}  // namespace

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
  const TensorFile file =
      load_sealed(path, kCheckpointFormat, "train again, or use the version that wrote it");
  check_belongs(file, path, run);
  const TrainState fresh = trainer.save();
  Checkpoint out;
  TrainState& state = out.state;
  state.theta = file.finite<float>("theta");
  state.best_theta = file.finite<float>("best_theta");
  const auto numbers = file.get<std::int64_t>("counters", {kCounters});
  if (std::any_of(numbers.begin(), numbers.end(), [](auto n) { return n < 0; })) {
    throw bad_input(path + ": counters: a negative count");
  }
  std::apply([it = numbers.begin()](auto&... n) mutable { ((n = *it++), ...); }, counters(state));
  const auto flags = file.get<std::uint8_t>("flags", {kFlags});
  state.has_best = flags[0] != 0;
  state.settled = flags[1] != 0;
  file.get<double>("best_score_and_seconds", {2});
  const auto scores = file.finite<double>("best_score_and_seconds");
  state.best_score = scores[0];
  out.seconds = scores[1];
  out.metrics_bytes = file.get<std::uint64_t>("metrics_bytes", {1})[0];
  for (const auto& [name, values] : fresh.parts) {
    state.parts[name] = file.finite<double>(kPart + name);
    // A part that begins empty checks its own size when it is loaded.
    if (!values.empty() && state.parts[name].size() != values.size()) {
      throw bad_input(fmt::format("{}: {}{}: {} numbers, not {}", path, kPart, name,
                                  state.parts[name].size(), values.size()));
    }
  }
  return out;
}

}  // namespace bpo
