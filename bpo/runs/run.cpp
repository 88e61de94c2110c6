#include "bpo/runs/run.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "bpo/agent/bundle.h"
#include "bpo/core/hash.h"
#include "bpo/core/problem_file.h"
#include "bpo/planners/planner.h"

namespace bpo {
namespace {

constexpr const char* kConfig = "config.toml";
constexpr const char* kPolicy = "policy.safetensors";
constexpr const char* kCheckpoint = "checkpoint.safetensors";
constexpr const char* kMetrics = "metrics.jsonl";
constexpr const char* kDiverged = "diverged.txt";
constexpr std::size_t kMaxPolicyBytes = std::size_t{1} << 32, kMaxTextBytes = 1 << 16;
constexpr double kFlushSeconds = 1.0;

std::string join(const std::string& directory, const char* name) { return directory + "/" + name; }

double since(std::chrono::steady_clock::time_point start,
             std::chrono::steady_clock::time_point now) {
  return std::chrono::duration<double>(now - start).count();
}

double unix_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// Killed before its first checkpoint, a run has nothing to go back to but its beginning; but then
/// there is nothing else that a checkpoint comes before.
void check_never_saved(const RunFiles& files) {
  for (const char* name : {kPolicy, kMetrics, kDiverged}) {
    const std::string path = files.path(name);
    if (!exists(path) || (name == kMetrics && read_file(path, kMaxPolicyBytes).empty())) continue;
    throw bad_input(fmt::format(
        "{0}/{1} is missing, but {2} says that there was one; put it back, or start over with `bpo "
        "train --config {0}/{3} --out {0} --force`",
        files.directory(), kCheckpoint, name, kConfig));
  }
}

/// A run keeps the file that its problem came from as "problem" and the file's ending.
void reopen_copy(const std::string& directory, const std::string& problem) {
  for (const std::string& name : names_in(directory)) {
    if (!name.starts_with("problem.")) continue;
    const std::string path = join(directory, name.c_str());
    reopen_problem(problem, read_file(path, kMaxPolicyBytes), path);
    return;
  }
  throw bad_input(fmt::format("{}: the copy of the file that {} came from is missing (problem.*)",
                              directory, short_name(problem)));
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
  plan.run.settings = settings_hash(plan.toml);
  return plan;
}

std::string resolved_toml(Config config) {
  RunIdentity run;
  config.read("run", run);
  if (planners().contains(run.algorithm)) {
    problems().at(run.problem).resolve(config);
    planners().at(run.algorithm).resolve(config);
    config.finish();
  } else {
    resolve_setup(run.problem, run.algorithm, config);
  }
  return config.to_toml();
}

Config load_config(const std::string& directory) {
  if (!is_run(directory)) {
    throw bad_input(fmt::format("{}: not a run directory (it has no {})", directory, kConfig));
  }
  const std::string path = join(directory, kConfig);
  Config config = Config::from_toml(read_config(directory), path);
  if (config.is_default("run.problem")) {
    throw bad_input(path + ": names no problem (run.problem): it is not a run's configuration");
  }
  if (const std::string problem = config.text("run.problem"); is_from_file(problem)) {
    reopen_copy(directory, problem);
  }
  return config;
}

void begin_run(RunFiles& files, const std::string& toml, const std::string& problem) {
  files.begin(toml);
  const ProblemEntry& entry = problems().at(problem);
  if (!entry.source.empty()) files.write(entry.source_file, entry.source);
}

RunPlan load_plan(const std::string& directory, const Config& changes) {
  Config config = load_config(directory);
  const std::string settings = config.hash();
  config.merge(changes);
  RunPlan plan = make_plan(std::move(config));
  plan.run.settings = settings;  // its files were written with these, not with the changes
  return plan;
}

bool is_run(const std::string& directory) { return exists(join(directory, kConfig)); }

std::optional<std::string> divergence(const std::string& directory) {
  const std::string path = join(directory, kDiverged);
  if (!exists(path)) return std::nullopt;
  std::string text = read_file(path, kMaxTextBytes);
  text.erase(text.find_last_not_of('\n') + 1);
  return text;
}

std::string policy_path(const std::string& directory) { return join(directory, kPolicy); }

std::string policy_hash(const std::string& directory) {
  const std::string path = policy_path(directory);
  return exists(path) ? hash_of(read_file(path, kMaxPolicyBytes)) : "";
}

NetworkPolicy best_policy(const std::string& directory, const RunPlan& plan, bool greedy) {
  const Method& method = plan.setup.method;
  const NetworkSpec spec = network_spec(plan.setup.problem->spec(), method, plan.setup.train);
  return load_network(policy_path(directory), plan.run, spec, method.sees, greedy);
}

Run::Run(RunFiles files, RunPlan plan, ThreadPool& pool)
    : files_(std::move(files)), plan_(std::move(plan)) {
  const TrainSetup& setup = plan_.setup;
  trainer_ = std::make_unique<Trainer>(*setup.problem, setup.method, setup.train, setup.optimizer,
                                       static_cast<std::uint64_t>(plan_.run.seed), pool);
}

std::unique_ptr<Run> Run::create(const std::string& directory, RunPlan plan, bool force,
                                 ThreadPool& pool) {
  check_memory(plan.setup, pool.threads());
  std::unique_ptr<Run> run(new Run(RunFiles::claim(directory, force), std::move(plan), pool));
  begin_run(run->files_, run->plan_.toml, run->plan_.run.problem);
  run->metrics_ = std::make_unique<AppendFile>(run->files_.append(kMetrics));
  run->save();
  return run;
}

std::unique_ptr<Run> Run::resume(const std::string& directory, ThreadPool& pool) {
  RunPlan plan = load_plan(directory);
  std::unique_ptr<Run> run(new Run(RunFiles::open(directory), std::move(plan), pool));
  run->resumed_ = true;
  RunFiles& files = run->files_;
  const std::string path = files.path(kCheckpoint);
  Checkpoint checkpoint;
  if (exists(path)) {
    checkpoint = load_checkpoint(path, run->plan_.run, *run->trainer_);
    run->seconds_ = checkpoint.seconds;
    try {
      run->trainer_->load(std::move(checkpoint.state));
    } catch (const Error& error) {
      throw Error(error.code(), fmt::format("{}: {}", path, error.what()));
    }
    run->restore_policy();
  } else {
    check_never_saved(files);
  }
  for (const char* name : {kCheckpoint, kPolicy}) files.list(name);
  run->metrics_ = std::make_unique<AppendFile>(files.append(kMetrics));
  run->metrics_->truncate_to(checkpoint.metrics_bytes);
  return run;
}

std::string Run::policy_bytes() const {
  const TrainSetup& setup = plan_.setup;
  const NetworkSpec spec = network_spec(setup.problem->spec(), setup.method, setup.train);
  const NetworkPolicy policy(std::make_shared<const Network>(spec), trainer_->state().best_theta,
                             setup.method.sees);
  return bundle_of(policy, *setup.problem, plan_.toml, plan_.run).serialize();
}

/// The checkpoint has the policy, too, and a kill may have come between the two files.
void Run::restore_policy() {
  const std::string path = files_.path(kPolicy), bytes = policy_bytes();
  if (exists(path)) {
    if (read_file(path, kMaxPolicyBytes) == bytes) return;
    try {
      if (!is_outdated_bundle(path)) best_policy(directory(), plan_);
    } catch (const Error& error) {
      throw Error(error.code(),
                  fmt::format("{}; `bpo resume` writes it anew if you remove it", error.what()));
    }
  }
  files_.write(kPolicy, bytes);
}

void Run::save() {
  metrics_->sync();
  const Checkpoint checkpoint{trainer_->save(), metrics_->size(), seconds_};
  files_.write(kCheckpoint, checkpoint_tensors(checkpoint, plan_.run).serialize());
  files_.write(kPolicy, policy_bytes());
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
  if (const auto why = divergence(directory())) throw diverged(*why);
  const double start = unix_time();
  TensorBoardWriter board(files_.append(fresh_events_name(directory(), start)), start,
                          resumed_ ? trainer_->iteration() + 1 : 0);
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
    if (error.code() != ErrorCode::kDiverged) throw;
    save();
    files_.write(kDiverged, std::string(error.what()) + "\n");
    throw diverged(error.what());
  }
}

Error Run::diverged(const std::string& why) const {
  return {ErrorCode::kDiverged,
          fmt::format("{}; the best policy so far is in {}", why, directory())};
}

}  // namespace bpo
