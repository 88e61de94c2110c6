// The loop of Algorithm 1 beside its optimisers: a simulation that breaks down, the first policy.
#include "bpo/algorithms/train.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "bpo/filters/grid.h"

namespace bpo {
namespace {

struct FragileOptions {
  int kinds = 3;       // how many latents there are
  int fragile = 0;     // latents below it break down
  int break_step = 1;  // in this step
  int horizon = 4;
};

/// Action 1 pays 1. Observations tell nothing.
class FragileProblem {
 public:
  using Latent = int;
  using State = int;  // the time
  using Observation = int;
  using Action = int;

  explicit FragileProblem(const FragileOptions& options) : options_(options) {}

  ProblemSpec spec() const {
    return {.name = "fragile",
            .horizon = options_.horizon,
            .actions = {.count = 2},
            .obs_dim = 1,
            .latent_dim = 1};
  }
  Latent sample_latent(Rng& rng) const { return rng.below(options_.kinds); }
  State sample_state(const Latent&, Rng&) const { return 0; }
  StepResult step(State& t, Latent& phi, Action a, Rng&) const {
    if (phi < options_.fragile && t == options_.break_step) return {.fault = true};
    ++t;
    return {.reward = static_cast<double>(a)};
  }
  Observation observe(const State&, const Latent&, Rng&) const { return 1; }
  void encode(const Observation& o, std::span<float> out) const { out[0] = static_cast<float>(o); }
  void encode_latent(const Latent& phi, std::span<float> out) const {
    out[0] = static_cast<float>(phi);
  }

  int factors() const { return 1; }
  int cells() const { return options_.kinds; }
  double cell_value(int cell) const { return cell; }
  int evidence_kinds() const { return 1; }
  int evidence(const Observation&, Action, const Observation&) const { return 0; }
  double log_likelihood(int, int, int) const { return 0.0; }

 private:
  FragileOptions options_;
};

constexpr std::uint64_t kSeed = 7;
constexpr int kBatchSteps = 600;

class Faults : public testing::Test {
 protected:
  using Fragile = ProblemWith<FragileProblem, GridFilter<FragileProblem>>;

  Trainer make_trainer(const AnyProblem& problem) {
    return Trainer(problem, algorithms().at("bpo").method,
                   {.iterations = 20, .hidden = 8, .validate_episodes = 10},
                   {.batch_steps = kBatchSteps, .kl = 0.05, .kl_end = 0.05}, kSeed, pool_);
  }
  static double value(const Metrics& metrics, const std::string& name) {
    for (const auto& [key, x] : metrics.values) {
      if (key == name) return x;
    }
    throw std::out_of_range(name);
  }
  static float latent_of(const AnyProblem& problem, std::uint64_t episode) {
    const auto world = problem.make_world();
    world->reset({kSeed, episode, 1}, LatentSource::kPrior);
    return world->latent()[0][0];
  }

  ThreadPool pool_{2};
};

TEST_F(Faults, ManyOfThemEndTheTrainingAndTheFirstIsNamed) {
  const Fragile problem(FragileOptions{.fragile = 2});  // a quarter of the steps
  std::uint64_t episode = std::uint64_t{3} << 32;       // where iteration 3 begins
  while (latent_of(problem, episode) >= 2.0f) ++episode;
  Trainer trainer = make_trainer(problem);
  TrainState state = trainer.save();
  state.iteration = 3;
  trainer.load(state);
  try {
    trainer.iterate();
    FAIL() << "it went on";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kDiverged);
    const std::string text = error.what();
    for (const std::string& words :
         {fmt::format("episode {}, step 1, latent ({});", episode, latent_of(problem, episode)),
          fmt::format("iteration 3 of seed {}", kSeed)}) {
      EXPECT_NE(text.find(words), std::string::npos) << words << " is not in " << text;
    }
  }
  EXPECT_EQ(trainer.iteration(), 3);
  EXPECT_EQ(trainer.state().theta, state.theta);
}

TEST_F(Faults, AFewAreCountedAndTheTrainingGoesOn) {
  // They come in the last step, so that all episodes are equally long: at most a tenth of the
  // steps.
  const Fragile problem(FragileOptions{.fragile = 2, .break_step = 9, .horizon = 10});
  std::vector<double> expected;  // after each iteration
  for (std::uint64_t iteration = 0; iteration < 6; ++iteration) {
    expected.push_back(expected.empty() ? 0.0 : expected.back());
    for (std::uint64_t e = 0; e < kBatchSteps / 10; ++e) {
      expected.back() += latent_of(problem, (iteration << 32) + e) < 2.0f;
    }
  }
  Trainer whole = make_trainer(problem), resumed = make_trainer(problem);
  std::vector<double> returns;
  for (int i = 0; i < 5; ++i) {
    const Metrics metrics = whole.iterate();
    EXPECT_EQ(value(metrics, "faults"), expected[i]);
    returns.push_back(value(metrics, "return"));
  }
  EXPECT_GT(returns.back(), returns.front() + 1.0);
  resumed.load(whole.save());
  for (Trainer* trainer : {&whole, &resumed}) {
    EXPECT_EQ(value(trainer->iterate(), "faults"), expected[5]);
  }
  EXPECT_EQ(whole.state().theta, resumed.state().theta);
}

TrainSetup setup_of(const std::string& problem, const std::string& algorithm,
                    const std::vector<std::string>& sets = {}) {
  Config config;
  for (const std::string& set : sets) config.set(set);
  return make_setup(problem, algorithm, config);
}

TEST(Trainer, FirstStandardDeviationIsAShareOfTheBoxsHalfWidth) {
  ThreadPool pool(1);
  for (const double init_std : {1.0, 0.4}) {
    const TrainSetup setup = setup_of("lightdark", "bpo",
                                      {fmt::format("algo.init_std={}", init_std),
                                       "optimizer.batch_steps=100", "algo.spread=shared"});
    const Trainer trainer(*setup.problem, setup.method, setup.train, setup.optimizer, 1, pool);
    const TensorInfo& last = trainer.model().tensors().back();
    const std::vector<float>& theta = trainer.state().theta;
    ASSERT_EQ(last.name, "log_std");
    ASSERT_EQ(theta.size(), last.offset + 2);
    for (int i = 0; i < 2; ++i) {
      EXPECT_NEAR(std::exp(theta[last.offset + i]), 0.5 * init_std, 1e-6);
    }
  }
}

TEST(Trainer, FirstWeightsFollowTheirScales) {
  ThreadPool pool(1);
  const auto first = [&](const std::vector<std::string>& sets) {
    const TrainSetup setup = setup_of("tiger", "bpo", sets);
    const Trainer trainer(*setup.problem, setup.method, setup.train, setup.optimizer, 1, pool);
    return std::pair(trainer.model().tensors(), trainer.state().theta);
  };
  const auto [tensors, usual] = first({});
  const std::vector<float> scaled = first({"algo.init_hidden=0.5", "algo.init_head=0.25"}).second;
  for (const TensorInfo& t : tensors) {
    const float scale = t.name == "head.weight" ? 0.25f : 0.5f;
    for (std::size_t i = t.offset; i < t.offset + t.size(); ++i) {
      EXPECT_EQ(scaled[i], scale * usual[i]) << t.name;
    }
  }
}

TEST(Epopt, BeginsWithAllTrajectoriesForAtMostHalfOfTheTime) {
  EXPECT_EQ(setup_of("tiger", "epopt").train.epsilon_from, 100);
  EXPECT_EQ(setup_of("tiger", "epopt", {"algo.iterations=30"}).train.epsilon_from, 15);
  EXPECT_EQ(
      setup_of("tiger", "epopt", {"algo.iterations=30", "algo.epsilon_from=29"}).train.epsilon_from,
      29);
}

TEST(DomainRandomisation, IsEpoptThatKeepsAllTrajectories) {
  ThreadPool pool(1);
  const auto trained = [&](const std::string& algorithm, std::vector<std::string> sets) {
    for (const char* set : {"algo.iterations=3", "algo.validate_episodes=20",
                            "optimizer.batch_steps=2000", "optimizer.cg_subsample=0.5"}) {
      sets.emplace_back(set);
    }
    const TrainSetup setup = setup_of("chain", algorithm, sets);
    Trainer trainer(*setup.problem, setup.method, setup.train, setup.optimizer, 1, pool);
    while (!trainer.finished()) trainer.iterate();
    return trainer.state().theta;
  };
  const std::vector<float> dr = trained("dr", {});
  EXPECT_EQ(dr, trained("epopt", {"algo.epsilon=1", "algo.epsilon_from=0"}));
  EXPECT_NE(dr, trained("epopt", {"algo.epsilon=0.5", "algo.epsilon_from=0"}));
}

TEST(Epopt, TheBestPolicyIsTheOneWithTheHighestMean) {
  const TrainSetup setup =
      setup_of("chain", "epopt",
               {"algo.iterations=6", "algo.validate_every=1", "algo.validate_episodes=100",
                "algo.epsilon_from=1", "optimizer.batch_steps=2000"});
  ThreadPool pool(1);
  Trainer trainer(*setup.problem, setup.method, setup.train, setup.optimizer, 1, pool);
  double best = -1e300;
  while (!trainer.finished()) {
    for (const auto& [name, value] : trainer.iterate().values) {
      if (name == "validation") best = std::max(best, value);
    }
  }
  EXPECT_EQ(trainer.state().best_score, best);
}

}  // namespace
}  // namespace bpo
