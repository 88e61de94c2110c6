#include "bpo/runs/result.h"

#include <chrono>

#include "bpo/runs/measure.h"

namespace bpo {

std::optional<Measurement> stored_result(const std::string& directory) {
  constexpr std::size_t kMaxBytes = std::size_t{1} << 28, kMostSensible = 1 << 16;
  const std::string path = directory + "/" + kResultName;
  if (!exists(path)) return std::nullopt;
  const std::string text = read_file(path, kMaxBytes);
  if (text.size() > kMostSensible) return std::nullopt;
  const auto result = if_possible([&] { return parse_result(text, path); });
  if (!result) return std::nullopt;
  const bool fits = result->run.settings == load_config(directory).hash() &&
                    result->policy == policy_hash(directory);
  return fits ? result : std::nullopt;
}

Protocol usual_protocol(const Run& run, std::int64_t episodes) {
  return {.episodes = episodes, .seed = run.plan().run.seed, .exactness = Exactness::kValue};
}

Measurement write_result(Run& run, const Protocol& protocol, const std::atomic<bool>& stop,
                         Log& log, ThreadPool& pool) {
  const RunPlan& plan = run.plan();
  const Interruptible interruptible(pool, stop);
  const auto policy = run.solution().policy();
  Measurement out = measure(plan.run, *plan.problem, *policy, protocol, log, pool);
  out.training = run.training();
  out.policy = policy_hash(run.directory());
  out.bounds = last_bounds(run.directory());
  out.diverged = divergence(run.directory());
  run.files().write(kResultName, json_text(out.json()));
  return out;
}

namespace {

/// Remembers the bounds of the last iteration.
class BoundsLog final : public Log {
 public:
  explicit BoundsLog(Log& next) : next_(next) {}
  void iteration(const Metrics& metrics) override {
    last = bounds_of(metrics);
    next_.iteration(metrics);
  }
  void message(const std::string& text) override { next_.message(text); }
  std::optional<Bounds> last;

 private:
  Log& next_;
};

}  // namespace

Measurement solve_and_measure(const RunPlan& plan, Budget budget, const Protocol& protocol,
                              Log& log, ThreadPool& pool) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point began = Clock::now();
  const auto solution = plan.start(pool);
  budget.seconds -= std::chrono::duration<double>(Clock::now() - began).count();
  BoundsLog bounds(log);
  solve(*solution, budget, bounds);
  const auto policy = solution->policy();
  Measurement out = measure(plan.run, *plan.problem, *policy, protocol, log, pool);
  out.bounds = bounds.last;
  return out;
}

Measurement exact_numbers(const LoadedPolicy& loaded, ThreadPool& pool) {
  if (auto stored = stored_result(loaded.directory)) return *stored;
  NullLog quiet;
  return measure({}, *loaded.problem, *loaded.policy,
                 {.episodes = 1, .exactness = Exactness::kValue}, quiet, pool);
}

}  // namespace bpo
