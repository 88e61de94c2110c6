#include "bpo/algorithms/run.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "bpo/planners/planner.h"

namespace bpo {
namespace {

namespace fs = std::filesystem;

constexpr const char* kConfig = "config.toml";
constexpr const char* kPolicy = "policy.safetensors";
constexpr const char* kCheckpoint = "checkpoint.safetensors";
constexpr const char* kMetrics = "metrics.jsonl";
constexpr double kFlushSeconds = 1.0;

std::string join(const std::string& directory, const char* name) { return directory + "/" + name; }

bool exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

double since(std::chrono::steady_clock::time_point start,
             std::chrono::steady_clock::time_point now) {
  return std::chrono::duration<double>(now - start).count();
}

double unix_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

void remove_file(const fs::path& path) {
  std::error_code error;
  fs::remove(path, error);
  if (error) throw io_error(fmt::format("{}: cannot remove ({})", path.string(), error.message()));
}

/// What a killed process left half written.
void remove_prefixed(const std::string& directory, const std::string& prefix) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    if (entry.path().filename().string().starts_with(prefix)) remove_file(entry.path());
  }
}

bool holds_run(const std::string& directory) {
  for (const char* name : {kConfig, kPolicy, kCheckpoint, kMetrics}) {
    if (exists(join(directory, name))) return true;
  }
  return false;
}

[[noreturn]] void refuse_occupied(const std::string& directory) {
  throw bad_input(
      fmt::format("{0}: holds a run already; continue it with `bpo resume {0}`, replace it with "
                  "--force, or choose another --out",
                  directory));
}

/// The configuration goes last: until then the directory still counts as a run.
void remove_run(const std::string& directory) {
  for (const char* name : {"result.json", kCheckpoint, kPolicy, kMetrics}) {
    remove_file(join(directory, name));
  }
  remove_prefixed(directory, "events.out.tfevents.");
  remove_file(join(directory, kConfig));
}

}  // namespace

RunPlan make_plan(Config config) {
  RunPlan plan;
  config.read("run", plan.run);
  if (planners().contains(plan.run.algorithm)) {
    throw bad_input(fmt::format(
        "{0} is a planner: there is no training to start or to resume; plan with `bpo solve {1} "
        "--planner {0}`, measure what is there with `bpo eval`",
        plan.run.algorithm, plan.run.problem));
  }
  plan.setup = make_setup(plan.run.problem, plan.run.algorithm, config);
  plan.toml = config.to_toml();
  return plan;
}

Config load_config(const std::string& directory) {
  if (!is_run(directory)) {
    throw bad_input(fmt::format("{}: not a run directory (it has no {})", directory, kConfig));
  }
  return Config::from_file(join(directory, kConfig));
}

RunPlan load_plan(const std::string& directory, const Config& changes) {
  Config config = load_config(directory);
  config.merge(changes);
  return make_plan(std::move(config));
}

bool is_run(const std::string& directory) { return exists(join(directory, kConfig)); }

void check_free(const std::string& directory) {
  if (!holds_run(directory)) return;
  const RunLock lock(directory);
  refuse_occupied(directory);
}

RunLock claim(const std::string& directory, bool force) {
  if (!force) check_free(directory);
  make_directories(directory);
  RunLock lock(directory);
  if (!force && holds_run(directory)) refuse_occupied(directory);  // it came in between
  return lock;
}

void begin_run(const std::string& directory, const std::string& toml) {
  remove_run(directory);
  write_file_atomic(join(directory, kConfig), toml);
}

NetworkPolicy load_policy(const std::string& directory, const RunPlan& plan, bool greedy) {
  const Method& method = plan.setup.method;
  const NetworkSpec spec = network_spec(plan.setup.problem->spec(), method, plan.setup.train);
  return load_policy(join(directory, kPolicy), plan.run, spec, method.sees, greedy);
}

Run::Run(const std::string& directory, RunLock lock, RunPlan plan, ThreadPool& pool)
    : directory_(directory), lock_(std::move(lock)), plan_(std::move(plan)) {
  const TrainSetup& setup = plan_.setup;
  trainer_ = std::make_unique<Trainer>(*setup.problem, setup.method, setup.train, setup.optimizer,
                                       static_cast<std::uint64_t>(plan_.run.seed), pool);
  remove_prefixed(directory_, ".tmp.");
}

std::unique_ptr<Run> Run::create(const std::string& directory, RunPlan plan, bool force,
                                 ThreadPool& pool) {
  RunLock lock = claim(directory, force);
  std::unique_ptr<Run> run(new Run(directory, std::move(lock), std::move(plan), pool));
  begin_run(directory, run->plan_.toml);
  run->metrics_ = std::make_unique<AppendFile>(run->path(kMetrics));
  run->save();
  return run;
}

std::unique_ptr<Run> Run::resume(const std::string& directory, ThreadPool& pool) {
  RunPlan plan = load_plan(directory);
  std::unique_ptr<Run> run(new Run(directory, RunLock(directory), std::move(plan), pool));
  run->resumed_ = true;
  Checkpoint checkpoint;
  // Killed before its first checkpoint, a run has nothing to go back to but its beginning.
  if (exists(run->path(kCheckpoint))) {
    checkpoint = load_checkpoint(run->path(kCheckpoint), run->plan_.run, *run->trainer_);
    run->seconds_ = checkpoint.seconds;
    run->trainer_->load(std::move(checkpoint.state));
  }
  run->metrics_ = std::make_unique<AppendFile>(run->path(kMetrics));
  run->metrics_->truncate_to(checkpoint.metrics_bytes);
  return run;
}

void Run::save() {
  metrics_->sync();
  policy_tensors(trainer_->best_policy(), plan_.run).save(path(kPolicy));
  checkpoint_tensors({trainer_->save(), metrics_->size(), seconds_}, plan_.run)
      .save(path(kCheckpoint));
}

void Run::record(Metrics& metrics, double steps_per_s, TensorBoardWriter& board) {
  // The two values of the clock come last: a reader can cut them off and compare the rest.
  metrics.values.emplace_back("seconds", seconds_);
  metrics.values.emplace_back("steps_per_s", steps_per_s);
  nlohmann::ordered_json line{{"iteration", metrics.iteration}};
  const double now = unix_time();
  for (const auto& [name, value] : metrics.values) {
    line[name] = value;
    board.scalar(name, value, metrics.iteration, now);
  }
  metrics_->write(line.dump() + "\n");
}

Run::End Run::train(const Budget& budget, double checkpoint_seconds, Log& log) {
  TensorBoardWriter board(directory_, unix_time(), resumed_ ? trainer_->iteration() + 1 : 0);
  Clock::time_point last = Clock::now(), saved = last, flushed = last;
  while (!trainer_->finished() && trainer_->iteration() < budget.iterations &&
         !budget.interrupted()) {
    const std::int64_t steps_before = trainer_->state().steps;
    Metrics metrics = iterate();
    const Clock::time_point now = Clock::now();
    const double seconds = since(std::exchange(last, now), now);
    seconds_ += seconds;
    const auto steps = static_cast<double>(trainer_->state().steps - steps_before);
    record(metrics, steps / seconds, board);
    log.iteration(metrics);
    if (since(flushed, now) >= kFlushSeconds) {
      metrics_->flush();
      board.flush();
      flushed = now;
    }
    if (since(saved, now) >= checkpoint_seconds) {
      save();
      saved = last = Clock::now();  // training is not charged for the disk
    }
  }
  board.flush();
  save();
  return trainer_->finished() ? End::kFinished : End::kInterrupted;
}

Metrics Run::iterate() {
  try {
    return trainer_->iterate();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kDiverged) save();
    throw;
  }
}

}  // namespace bpo
