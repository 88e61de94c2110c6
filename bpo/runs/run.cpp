#include "bpo/runs/run.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "bpo/agent/appl_policy.h"
#include "bpo/agent/bundle.h"
#include "bpo/core/hash.h"
#include "bpo/core/problem_file.h"
#include "bpo/core/ranks.h"

namespace bpo {
namespace {

constexpr const char* kPolicy = "policy.safetensors";
constexpr const char* kCheckpoint = "checkpoint.safetensors";
constexpr const char* kAppl = "appl.policy";
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
void check_never_saved(const RunFiles& files, const RunIdentity& run) {
  const bool planned = solvers().at(run.algorithm).kind == SolverKind::kPlanner;
  const std::string again = planned ? fmt::format("bpo solve PROBLEM --planner {} --out {} --force",
                                                  run.algorithm, files.directory())
                                    : fmt::format("bpo train --config {0}/{1} --out {0} --force",
                                                  files.directory(), kConfigFile);
  for (const char* name : {kPolicy, kMetrics, kDiverged}) {
    const std::string path = files.path(name);
    if (!exists(path) || (name == kMetrics && read_file(path, kMaxPolicyBytes).empty())) continue;
    throw bad_input(fmt::format(
        "{}/{} is missing, but {} says that there was one; put it back, or start over with `{}`",
        files.directory(), kCheckpoint, name, again));
  }
}

/// What settings do not name would be what this version puts there, and that need not be what the
/// run began with.
void check_all_is_said(const std::string& directory, const Config& config, const RunPlan& plan) {
  const std::vector<std::string> newer = unsaid(config, plan.toml);
  if (newer.empty()) return;
  const ProblemEntry& problem = problems().at(plan.run.problem);
  const std::string from =
      problem.source.empty() ? problem.name : directory + "/" + problem.source_file;
  const std::string begin = solvers().at(plan.run.algorithm).kind == SolverKind::kAlgorithm
                                ? fmt::format("train --config {}/{}", directory, kConfigFile)
                                : fmt::format("solve {} --planner {}", from, plan.run.algorithm);
  throw bad_input(fmt::format(
      "{}/{}: does not say {}, newer than the run, which cannot go on as it began; begin anew with "
      "`bpo {} --out NEW`, or use the version that began it",
      directory, kConfigFile, fmt::join(newer, ", "), begin));
}

/// A run keeps the file that its problem came from as "problem" and the file's ending.
void reopen_copy(const std::string& directory, const std::string& problem) {
  for (const std::string& name : names_in(directory)) {
    if (!name.starts_with("problem.")) continue;
    const std::string path = join(directory, name.c_str());
    reopen_problem(problem, read_file(path, kMaxPolicyBytes), path, "put that one back");
    return;
  }
  throw bad_input(fmt::format("{}: the copy of the file that {} came from is missing (problem.*)",
                              directory, short_name(problem)));
}

/// The policy for APPL's tools, where their format can say it.
void write_for_appl(const std::string& problem, const Policy& policy, RunFiles& files) {
  const auto* planned = dynamic_cast<const AlphaPolicy*>(&policy);
  if (planned == nullptr || planned->shape().stages > 0) return;
  if (planned->look() != Look::kBelief) return;
  files.write(kAppl, appl_policy_pieces(*planned, problem));
}

}  // namespace

RunIdentity identity_of(Config config) {
  RunIdentity run;
  run.settings = config.hash();
  config.read("run", run);
  return run;
}

RunPlan make_plan(Config config) {
  RunPlan plan;
  config.read("run", plan.run);
  const SolverSetup setup = solvers().at(plan.run.algorithm).resolve(plan.run.problem, config);
  plan.problem = setup.problem.build();
  plan.solver = setup.solver;
  plan.toml = config.to_toml();
  plan.run.settings = settings_hash(plan.toml);
  check_same_on_ranks({{"configuration", plan.run.settings}});
  return plan;
}

std::string resolved_toml(Config config) {
  RunIdentity run;
  config.read("run", run);
  solvers().at(run.algorithm).resolve(run.problem, config);
  return config.to_toml();
}

Config load_config(const std::string& directory) {
  if (!is_run(directory)) {
    throw bad_input(fmt::format("{}: not a run directory (it has no {})", directory, kConfigFile));
  }
  const std::string path = join(directory, kConfigFile);
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

void reopen_beside(const std::string& config_file, const std::string& problem) {
  const std::string directory = std::filesystem::path(config_file).parent_path().string();
  reopen_copy(directory.empty() ? "." : directory, problem);
}

RunPlan load_plan(const std::string& directory, const Config& changes) {
  Config config = load_config(directory);
  const std::string settings = config.hash();
  config.merge(changes);
  RunPlan plan = make_plan(config);
  check_all_is_said(directory, config, plan);
  plan.run.settings = settings;  // its files were written with these, not with the changes
  return plan;
}

bool is_run(const std::string& directory) { return exists(join(directory, kConfigFile)); }

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

std::unique_ptr<Solution> RunPlan::start(ThreadPool& pool) const {
  return solver->start(*problem, static_cast<std::uint64_t>(run.seed), pool);
}

Run::Run(RunFiles files, RunPlan plan, std::unique_ptr<Solution> solution, Clock::time_point began)
    : files_(std::move(files)),
      plan_(std::move(plan)),
      solution_(std::move(solution)),
      starting_(since(began, Clock::now())),
      seconds_(starting_) {}

std::unique_ptr<Run> Run::create(const std::string& directory, RunPlan plan, bool force,
                                 ThreadPool& pool) {
  const Clock::time_point began = Clock::now();
  plan.solver->check_memory(*plan.problem, pool.threads());
  RunFiles::check_claim(directory, force);
  auto solution = plan.start(pool);
  std::unique_ptr<Run> run(
      new Run(RunFiles::claim(directory, force), std::move(plan), std::move(solution), began));
  begin_run(run->files_, run->plan_.toml, run->plan_.run.problem);
  if (run->solution_->finished()) return run;
  run->metrics_ = std::make_unique<AppendFile>(run->files_.append(kMetrics));
  run->save();
  return run;
}

std::unique_ptr<Run> Run::resume(const std::string& directory, ThreadPool& pool) {
  const Clock::time_point began = Clock::now();
  RunPlan plan = load_plan(directory);
  RunFiles files = RunFiles::open(directory);
  auto solution = plan.start(pool);
  std::unique_ptr<Run> run(new Run(std::move(files), std::move(plan), std::move(solution), began));
  if (run->solution_->finished()) return run;
  run->resumed_ = true;
  const std::string path = run->files_.path(kCheckpoint);
  RunPosition at;
  if (exists(path)) {
    at = run->solution_->restore(path, run->plan_.run);
    run->seconds_ += at.seconds;
    run->restore_policy();
  } else {
    check_never_saved(run->files_, run->plan_.run);
  }
  for (const char* name : {kCheckpoint, kPolicy}) run->files_.list(name);
  run->metrics_ = std::make_unique<AppendFile>(run->files_.append(kMetrics));
  run->metrics_->truncate_to(at.metrics_bytes);
  if (!exists(path)) run->save();  // as at the beginning: metrics must not come before it
  return run;
}

std::optional<Training> Run::training() const {
  std::optional<Training> out = solution_->training();
  if (out) out->seconds = seconds_;
  return out;
}

std::string Run::policy_bytes() const {
  if (!solvers().at(plan_.run.algorithm).keeps_policy) return {};
  const auto policy = solution_->policy();
  return bundle_of(dynamic_cast<const KeptPolicy&>(*policy), *plan_.problem, plan_.toml, plan_.run)
      .serialize();
}

/// The checkpoint has the policy, too, and a kill may have come between the two files.
void Run::restore_policy() {
  const std::string path = files_.path(kPolicy), bytes = policy_bytes();
  if (exists(path)) {
    if (read_file(path, kMaxPolicyBytes) == bytes) return;
    open_bundle(path, {}, false, &plan_.run);
  }
  files_.write(kPolicy, bytes);
}

void Run::save() {
  metrics_->sync();
  if (const Pieces checkpoint = solution_->checkpoint(plan_.run, {metrics_->size(), seconds_})) {
    files_.write(kCheckpoint, checkpoint);
  }
  const std::string policy = policy_bytes();
  if (!policy.empty()) files_.write(kPolicy, policy);
}

/// Writes every iteration down before somebody else hears of it, and saves now and then.
class Run::Recorder final : public Log {
 public:
  Recorder(Run& run, double checkpoint_seconds, Log& next)
      : run_(run), checkpoint_seconds_(checkpoint_seconds), next_(next) {
    const double start = unix_time();
    const std::int64_t iterations = run.solution_->training().value_or(Training{}).iterations;
    board_ = std::make_unique<TensorBoardWriter>(
        run.files_.append(fresh_events_name(run.directory(), start)), start,
        run.resumed_ ? iterations + 1 : 0);
    steps_ = run.solution_->training().value_or(Training{}).steps;
    last_ = saved_ = flushed_ = Clock::now();
  }

  void iteration(const Metrics& metrics) override {
    const Clock::time_point now = Clock::now();
    const double seconds = since(std::exchange(last_, now), now);
    run_.seconds_ += seconds;
    const std::int64_t steps = run_.solution_->training().value_or(Training{}).steps;
    record(metrics, static_cast<double>(steps - std::exchange(steps_, steps)) / seconds);
    if (since(flushed_, now) >= kFlushSeconds) {
      run_.metrics_->flush();
      board_->flush();
      flushed_ = now;
    }
    if (since(saved_, now) >= checkpoint_seconds_) {
      run_.save();
      saved_ = last_ = Clock::now();  // training is not charged for the disk
    }
  }
  void message(const std::string& text) override { next_.message(text); }
  void finish() { board_->flush(); }

 private:
  void record(Metrics metrics, double steps_per_s) {
    // The two values of the clock come last: a reader can cut them off and compare the rest.
    metrics.values.emplace_back("seconds", run_.seconds_);
    metrics.values.emplace_back("steps_per_s", steps_per_s);
    nlohmann::ordered_json line{{"iteration", metrics.iteration}};
    const double now = unix_time();
    for (const auto& [name, value] : metrics.values) {
      line[name] = value;
      board_->scalar(name, value, metrics.iteration, now);
    }
    run_.metrics_->write(line.dump() + "\n");
    next_.iteration(metrics);
  }

  Run& run_;
  double checkpoint_seconds_;
  Log& next_;
  std::unique_ptr<TensorBoardWriter> board_;
  std::int64_t steps_ = 0;
  Clock::time_point last_, saved_, flushed_;
};

Run::End Run::solve(Budget budget, double checkpoint_seconds, Log& log) {
  if (const auto why = divergence(directory())) throw diverged(*why);
  if (metrics_ == nullptr) return End::kFinished;
  budget.seconds -= std::exchange(starting_, 0.0);
  Recorder recorder(*this, checkpoint_seconds, log);
  try {
    bpo::solve(*solution_, budget, recorder);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kDiverged) throw;
    save();
    files_.write(kDiverged, std::string(error.what()) + "\n");
    throw diverged(error.what());
  }
  recorder.finish();
  save();
  write_for_appl(plan_.run.problem, *solution_->policy(), files_);
  return solution_->finished() ? End::kFinished : End::kBudgetSpent;
}

Error Run::diverged(const std::string& why) const {
  return {ErrorCode::kDiverged,
          fmt::format("{}; the best policy so far is in {}", why, directory())};
}

std::unique_ptr<Run> open_run(const std::string& directory, const Config& config, bool force,
                              ThreadPool& pool) {
  if (!force && is_run(directory)) return Run::resume(directory, pool);
  return Run::create(directory, make_plan(config), force, pool);
}

}  // namespace bpo
