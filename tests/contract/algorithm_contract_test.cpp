// What every registered algorithm promises on every problem: it trains or says why not, gives the
// same bits for any number of threads, and goes on from a saved state as if nothing had happened.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "bpo/algorithms/train.h"
#include "tests/support/problems.h"

namespace bpo {
namespace {

struct Choice {
  std::string problem, algorithm, optimizer, baseline;
};

std::ostream& operator<<(std::ostream& out, const Choice& c) {
  return out << c.algorithm << " on " << c.problem << ", " << c.optimizer << ", " << c.baseline;
}

/// Simulating takes most of a run: the swimmer, which is quick, stands for the robots where
/// optimizers and baselines are concerned.
bool slow(const std::string& problem) { return problem == "ant" || problem == "half-cheetah"; }

std::vector<Choice> choices() {
  std::vector<Choice> out;
  for (const std::string& problem : problems().names()) {
    for (const std::string& algorithm : algorithms().names()) {
      for (const char* optimizer : {"trpo", "ppo"}) {
        for (const char* baseline : {"linear", "network", "privileged"}) {
          if (slow(problem) && !out.empty() && out.back().problem == problem &&
              out.back().algorithm == algorithm) {
            continue;
          }
          out.push_back({problem, algorithm, optimizer, baseline});
        }
      }
    }
  }
  return out;
}

constexpr int kIterations = 3;
int batch_steps(bool simulated) { return simulated ? 300 : 1500; }

bool simulated(const std::string& problem) {
  Config config;
  return problems().at(problem).make(config)->spec().simulated;
}

Config small(const Choice& c, bool simulated) {
  Config config;
  config.set(simulated ? "problem.horizon=10" : "problem.horizon=20");
  if (simulated) config.set("problem.bins=2");
  config.set("algo.iterations=" + std::to_string(kIterations));
  config.set("algo.hidden=8");
  config.set("algo.validate_every=2");
  config.set("algo.validate_episodes=20");
  config.set("algo.baseline=" + c.baseline);
  config.set("optimizer.kind=" + c.optimizer);
  config.set("optimizer.batch_steps=" + std::to_string(batch_steps(simulated)));
  if (algorithms().at(c.algorithm).method.worst_share) config.set("algo.epsilon_from=1");
  return config;
}

class AlgorithmContract : public testing::TestWithParam<Choice> {
 protected:
  std::optional<TrainSetup> setup_;
  const bool simulated_ = simulated(GetParam().problem);
  Config config_ = small(GetParam(), simulated_);

  void SetUp() override {
    try {
      setup_.emplace(make_setup(GetParam().problem, GetParam().algorithm, config_));
    } catch (const Error& e) {
      ASSERT_EQ(e.code(), ErrorCode::kBadInput) << e.what();
      // Only the nominal latent may be missing.
      ASSERT_EQ(algorithms().at(GetParam().algorithm).method.latents, LatentSource::kNominal);
      GTEST_SKIP() << "refused: " << e.what();
    }
  }
  Trainer trainer(ThreadPool& pool, std::uint64_t seed = 1) const {
    return Trainer(*setup_->problem, setup_->method, setup_->train, setup_->optimizer, seed, pool);
  }
  static TrainState trained(Trainer trainer, int iterations = kIterations) {
    for (int k = 0; k < iterations; ++k) {
      for (const auto& [name, value] : trainer.iterate().values) {
        EXPECT_TRUE(std::isfinite(value)) << name;
      }
    }
    return trainer.save();
  }
  static void expect_equal(const TrainState& a, const TrainState& b) {
    EXPECT_EQ(a.iteration, b.iteration);
    EXPECT_EQ(a.theta, b.theta);
    EXPECT_EQ(a.best_theta, b.best_theta);
    EXPECT_EQ(a.best_score, b.best_score);
    EXPECT_EQ(a.best_iteration, b.best_iteration);
    EXPECT_EQ(a.rejected, b.rejected);
    EXPECT_EQ(a.steps, b.steps);
    EXPECT_EQ(a.parts, b.parts);
  }
};

TEST_P(AlgorithmContract, TrainsTheSameForAnyNumberOfThreadsAndAfterARestart) {
  ThreadPool one(1), two(2);
  const TrainState reference = trained(trainer(one));
  EXPECT_EQ(reference.iteration, kIterations);
  EXPECT_GE(reference.steps, kIterations * batch_steps(simulated_));
  EXPECT_LT(reference.rejected, kIterations);
  for (float x : reference.theta) ASSERT_TRUE(std::isfinite(x));
  EXPECT_NE(reference.theta, trainer(one).state().theta) << "nothing was learnt";
  EXPECT_NE(reference.theta, trained(trainer(one, 2)).theta) << "the seed has no effect";

  expect_equal(trained(trainer(two)), reference);

  for (int cut = 1; cut < kIterations; ++cut) {
    const TrainState saved = trained(trainer(one), cut);
    Trainer resumed = trainer(two);
    resumed.load(saved);
    EXPECT_EQ(resumed.iteration(), cut);
    for (int k = cut; k < kIterations; ++k) resumed.iterate();
    expect_equal(resumed.save(), reference);
    EXPECT_TRUE(resumed.finished());
  }
}

TEST_P(AlgorithmContract, TheResolvedConfigurationGivesTheSameRun) {
  const std::string text = config_.to_toml();
  Config again = Config::from_toml(text, "resolved");
  const TrainSetup setup = make_setup(GetParam().problem, GetParam().algorithm, again);
  EXPECT_EQ(again.to_toml(), text);
  ThreadPool pool(1);
  const TrainState a = trained(trainer(pool), 1);
  const TrainState b =
      trained(Trainer(*setup.problem, setup.method, setup.train, setup.optimizer, 1, pool), 1);
  EXPECT_EQ(a.theta, b.theta);
}

TEST_P(AlgorithmContract, ACheckpointOfAnotherNetworkIsRefused) {
  ThreadPool pool(1);
  TrainState state = trainer(pool).save();
  state.theta.pop_back();
  Trainer other = trainer(pool);
  EXPECT_THROW(other.load(state), Error);
}

INSTANTIATE_TEST_SUITE_P(All, AlgorithmContract, testing::ValuesIn(choices()), [](const auto& c) {
  std::string name =
      c.param.problem + "_" + c.param.algorithm + "_" + c.param.optimizer + "_" + c.param.baseline;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(Algorithms, NominalTrpoIsRefusedOnTiger) {
  Config config;
  try {
    make_setup("tiger", "trpo", config);
    ADD_FAILURE() << "it was not";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kBadInput);
  }
}

TEST(Algorithms, HasWhatThePaperCompares) {
  for (const char* name : {"bpo", "bpo-minus", "up-mle", "dr", "epopt", "trpo", "oracle"}) {
    EXPECT_TRUE(algorithms().contains(name)) << name;
    EXPECT_FALSE(algorithms().at(name).summary.empty());
  }
}

TEST(Algorithms, HardlyRepeatedInputsGiveTheSameBitsForAnyNumberOfThreads) {
  // Semi-tied beliefs hardly repeat: a thread's set of inputs may stop looking for repeats, at a
  // moment that depends on what that thread happened to simulate.
  std::vector<float> first;
  for (int threads : {1, 2, 3}) {
    Config config;
    for (const char* option :
         {"problem.tying=semi", "problem.bins=6", "algo.hidden=8", "algo.iterations=2",
          "algo.validate_episodes=10", "algo.baseline=linear", "optimizer.batch_steps=10000",
          "optimizer.cg_iterations=3"}) {
      config.set(option);
    }
    const TrainSetup setup = make_setup("chain", "bpo", config);
    ThreadPool pool(threads);
    Trainer trainer(*setup.problem, setup.method, setup.train, setup.optimizer, 1, pool);
    trainer.iterate();
    if (first.empty()) first = trainer.state().theta;
    EXPECT_EQ(trainer.state().theta, first) << threads;
  }
}

}  // namespace
}  // namespace bpo
