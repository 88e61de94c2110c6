// The run directory as a library: what is on disk, and that a stop changes nothing.
#include "bpo/runs/run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "bpo/algorithms/training_solver.h"
#include "bpo/nn/network_policy.h"
#include "bpo/runs/loaded.h"
#include "tests/support/temporary_directory.h"

namespace bpo {
namespace {

namespace fs = std::filesystem;

class RunTest : public test::TemporaryDirectory {
 protected:
  static RunPlan plan(const std::string& problem = "tiger",
                      const std::vector<std::string>& sets = {}) {
    Config config;
    config.set("run.problem=" + problem);
    config.set("run.seed=3");
    for (const char* set : {"algo.iterations=12", "algo.validate_every=5", "algo.hidden=8",
                            "algo.validate_episodes=50", "optimizer.batch_steps=500"}) {
      config.set(set);
    }
    for (const std::string& set : sets) config.set(set);
    return make_plan(config);
  }
  std::string policy_bytes(const std::string& name) const {
    return read_file(path(name) + "/policy.safetensors", 1 << 24);
  }
  void train_whole(const std::string& name, RunPlan what) {
    const auto run = Run::create(path(name), std::move(what), false, pool_);
    EXPECT_EQ(run->solve({}, 1e9, log_), Run::End::kFinished);
  }

  ThreadPool pool_{1};
  NullLog log_;
};

TEST_F(RunTest, PlanSurvivesItsFile) {
  const RunPlan first = plan();
  EXPECT_EQ(first.toml.substr(0, 6), "[run]\n");
  EXPECT_EQ(first.run.seed, 3);
  train_whole("r", plan());
  EXPECT_EQ(load_plan(path("r")).toml, first.toml);
}

TEST_F(RunTest, SettingsResolveAsAPlanHasThem) {
  const auto config = [](const std::vector<std::string>& sets) {
    Config out;
    for (const std::string& set : sets) out.set(set);
    return out;
  };
  for (const auto& sets : std::vector<std::vector<std::string>>{
           {"run.problem=tiger"},
           {"run.problem=chain", "problem.tying=semi", "run.algorithm=epopt"},
           {"run.problem=lightdark", "algo.hidden=8"}}) {
    EXPECT_EQ(resolved_toml(config(sets)), make_plan(config(sets)).toml) << sets[0];
  }
  EXPECT_NE(resolved_toml(config({"run.problem=lightdark", "run.algorithm=belief-ilqg"}))
                .find("[planner]\nguesses"),
            std::string::npos);
  EXPECT_THROW(resolved_toml(config({"run.problem=tiger", "problem.acuracy=1"})), Error);
  if (!problems().contains("swimmer")) return;  // built without MuJoCo
  // Only who builds this robot finds out that there is none: nothing was built to resolve it.
  const Config impossible = config({"run.problem=swimmer", "problem.first=-5"});
  EXPECT_NO_THROW(resolved_toml(impossible));
  EXPECT_THROW(make_plan(impossible), Error);
}

TEST_F(RunTest, StoppingAnywhereChangesNothing) {
  const std::vector<std::vector<std::string>> variants{
      {"algo.baseline=linear"}, {"algo.baseline=network"}, {"optimizer.kind=ppo"}};
  for (std::size_t v = 0; v < variants.size(); ++v) {
    const std::string whole = "whole" + std::to_string(v), cut = "cut" + std::to_string(v);
    train_whole(whole, plan("chain", variants[v]));
    Run::create(path(cut), plan("chain", variants[v]), false, pool_)->solve({}, 0.0, log_);
    EXPECT_EQ(policy_bytes(whole), policy_bytes(cut)) << "a checkpoint at every iteration";
    Run::create(path(cut), plan("chain", variants[v]), true, pool_);
    for (const std::int64_t stop : {0, 1, 4, 5, 11}) {
      const auto run = Run::resume(path(cut), pool_);
      EXPECT_EQ(run->solve({.iterations = stop}, 1e9, log_), Run::End::kBudgetSpent);
      EXPECT_EQ(trainer_of(run->solution()).iteration(), stop);
    }
    EXPECT_EQ(Run::resume(path(cut), pool_)->solve({}, 1e9, log_), Run::End::kFinished);
    EXPECT_EQ(policy_bytes(whole), policy_bytes(cut)) << variants[v][0];
  }
}

TEST_F(RunTest, AnyBudgetLeavesSomethingToResume) {
  train_whole("whole", plan());
  const auto run = Run::create(path("cut"), plan(), false, pool_);
  EXPECT_EQ(run->solve({.iterations = 0}, 1e9, log_), Run::End::kBudgetSpent);
  EXPECT_EQ(run->training()->iterations, 0);
  EXPECT_EQ(run->solve({.seconds = 0.0}, 1e9, log_), Run::End::kBudgetSpent);
  EXPECT_EQ(run->training()->iterations, 1) << "a resumed run always gets on";
  EXPECT_EQ(run->solve({.steps = 1200}, 1e9, log_), Run::End::kBudgetSpent);
  EXPECT_GE(run->training()->steps, 1200);
  EXPECT_LT(run->training()->iterations, 12);
  EXPECT_EQ(run->solve({}, 1e9, log_), Run::End::kFinished);
  EXPECT_EQ(policy_bytes("whole"), policy_bytes("cut"));
}

/// Takes its time to start.
class Slow final : public Solver {
 public:
  static constexpr std::chrono::milliseconds kStart{80};
  explicit Slow(std::shared_ptr<const Solver> solver) : solver_(std::move(solver)) {}
  std::unique_ptr<Solution> start(const AnyProblem& problem, std::uint64_t seed,
                                  ThreadPool& pool) const override {
    std::this_thread::sleep_for(kStart);
    return solver_->start(problem, seed, pool);
  }
  std::shared_ptr<const Policy> read(const TensorFile& file, const AnyProblem& problem, bool greedy,
                                     const std::string& path) const override {
    return solver_->read(file, problem, greedy, path);
  }

 private:
  std::shared_ptr<const Solver> solver_;
};

TEST_F(RunTest, WhatItTakesToStartCounts) {
  RunPlan slow = plan();
  slow.solver = std::make_shared<Slow>(slow.solver);
  const double start = std::chrono::duration<double>(Slow::kStart).count();
  const auto run = Run::create(path("slow"), std::move(slow), false, pool_);
  EXPECT_GE(run->seconds(), start);
  EXPECT_EQ(run->solve({.seconds = start}, 1e9, log_), Run::End::kBudgetSpent);
  EXPECT_EQ(run->training()->iterations, 1) << "the time was up before it began";
  EXPECT_EQ(run->solve({.seconds = 1e3}, 1e9, log_), Run::End::kFinished);
  EXPECT_GT(run->training()->seconds, start);
}

TEST_F(RunTest, APlanIsARunWithoutFilesOfItsOwn) {
  Config config;
  for (const char* set : {"run.problem=lightdark", "run.algorithm=belief-ilqg"}) config.set(set);
  const auto run = Run::create(path("p"), make_plan(config), false, pool_);
  EXPECT_EQ(run->solve({}, 1e9, log_), Run::End::kFinished);
  EXPECT_FALSE(run->training().has_value());
  EXPECT_NE(run->solution().policy(), nullptr);
  EXPECT_EQ(policy_hash(path("p")), "");
  for (const auto& entry : fs::directory_iterator(path("p"))) {
    const std::string name = entry.path().filename();
    EXPECT_TRUE(name == "config.toml" || name.starts_with(".")) << name;
  }
}

TEST_F(RunTest, WhatDoesNotFitTheProblemLeavesNoDirectory) {
  Config config;
  for (const char* set : {"run.problem=tiger", "run.algorithm=belief-ilqg"}) config.set(set);
  EXPECT_THROW(Run::create(path("p"), make_plan(config), false, pool_), Error);
  EXPECT_FALSE(fs::exists(path("p")));
}

TEST_F(RunTest, CheckpointKeepsEveryField) {
  const auto run = Run::create(path("r"), plan(), false, pool_);
  run->solve({.iterations = 3}, 1e9, log_);
  Checkpoint saved{trainer_of(run->solution()).save(), 1234567890123, 4.5};
  TrainState& state = saved.state;
  state.best_theta[0] = 0.5f;
  state.best_score = -0.1;
  state.has_best = state.settled = true;
  state.iteration = 1, state.best_iteration = 2, state.rejected = 3, state.rejected_in_a_row = 4;
  state.steps = 5, state.filter_fallbacks = 6, state.faults = 7;
  checkpoint_tensors(saved, run->plan().run).save(path("c"));
  const Checkpoint loaded =
      load_checkpoint(path("c"), run->plan().run, trainer_of(run->solution()));
  EXPECT_EQ(checkpoint_tensors(loaded, run->plan().run).serialize(), read_file(path("c"), 1 << 24));
  EXPECT_EQ(loaded.state.best_score, -0.1);
  EXPECT_EQ(loaded.state.filter_fallbacks, 6);
  EXPECT_EQ(loaded.state.faults, 7);
  EXPECT_EQ(loaded.state.theta, state.theta);
  EXPECT_EQ(loaded.state.parts, state.parts);
  EXPECT_EQ(loaded.metrics_bytes, 1234567890123u);
}

TEST_F(RunTest, MetricsAfterTheCheckpointAreDropped) {
  const std::string metrics = path("r") + "/metrics.jsonl";
  Run::create(path("r"), plan(), false, pool_)->solve({.iterations = 4}, 1e9, log_);
  const std::string kept = read_file(metrics, 1 << 20);
  {
    AppendFile file(metrics);
    file.write("{\"iteration\":5,");
    file.flush();
  }
  Run::resume(path("r"), pool_)->solve({}, 1e9, log_);
  const std::string all = read_file(metrics, 1 << 20);
  EXPECT_EQ(all.substr(0, kept.size()), kept);
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 12);
  EXPECT_EQ(all.substr(kept.size()).find("{\"iteration\":5,\"return\""), 0u);
}

/// Metrics are on disk seconds before the next checkpoint is, so there has to be one before them.
TEST_F(RunTest, ARunThatWasKilledBeforeItsFirstCheckpointBeginsWithOne) {
  Run::create(path("r"), plan(), false, pool_).reset();
  for (const char* name : {"/checkpoint.safetensors", "/policy.safetensors"}) {
    ASSERT_TRUE(fs::remove(path("r") + name));
  }
  Run::resume(path("r"), pool_).reset();
  for (const char* name : {"/checkpoint.safetensors", "/policy.safetensors"}) {
    EXPECT_TRUE(fs::exists(path("r") + name)) << name;
  }
}

TEST_F(RunTest, StopFlagEndsAfterTheIteration) {
  std::atomic<bool> stop{true};
  const auto run = Run::create(path("r"), plan(), false, pool_);
  EXPECT_EQ(run->solve({.stop = &stop}, 1e9, log_), Run::End::kBudgetSpent);
  EXPECT_EQ(trainer_of(run->solution()).iteration(), 0);
}

TEST_F(RunTest, LoadedPolicyIsTheTrainedOne) {
  const auto run = Run::create(path("r"), plan(), false, pool_);
  run->solve({}, 1e9, log_);
  const LoadedPolicy opened = load_run(path("r"));
  const auto& loaded = dynamic_cast<const NetworkPolicy&>(*opened.policy);
  EXPECT_EQ(loaded.theta(), trainer_of(run->solution()).state().best_theta);
  EXPECT_FALSE(loaded.greedy());
  EXPECT_TRUE(dynamic_cast<const NetworkPolicy&>(*load_run(path("r"), {}, true).policy).greedy());
}

TEST_F(RunTest, PolicyWithANumberThatIsNotFiniteIsRefused) {
  const auto run = Run::create(path("r"), plan(), false, pool_);
  const auto current = trainer_of(run->solution()).current_policy();
  const auto& policy = dynamic_cast<const NetworkPolicy&>(*current);
  std::vector<float> theta = policy.theta();
  theta[5] = std::numeric_limits<float>::quiet_NaN();
  const NetworkPolicy broken(std::make_shared<const Network>(policy.network()), theta,
                             policy.sees());
  bundle_of(broken, *run->plan().problem, run->plan().toml, run->plan().run)
      .save(path("r") + "/policy.safetensors");
  EXPECT_THROW(load_run(path("r")), Error);
}

TEST_F(RunTest, CheckpointOfAnotherSizeIsRefused) {
  train_whole("small", plan());
  train_whole("large", plan("tiger", {"algo.hidden=16"}));
  fs::copy_file(path("large") + "/checkpoint.safetensors",
                path("small") + "/checkpoint.safetensors", fs::copy_options::overwrite_existing);
  EXPECT_THROW(Run::resume(path("small"), pool_), Error);
}

TEST_F(RunTest, OneHolderAtATime) {
  const auto run = Run::create(path("r"), plan(), false, pool_);
  const auto code = [&](auto call) {
    try {
      call();
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode{};
  };
  EXPECT_EQ(code([&] { Run::resume(path("r"), pool_); }), ErrorCode::kLocked);
  EXPECT_EQ(code([&] { Run::create(path("r"), plan(), true, pool_); }), ErrorCode::kLocked);
  EXPECT_EQ(code([&] { RunFiles::claim(path("r"), false); }), ErrorCode::kLocked);
}

}  // namespace
}  // namespace bpo
