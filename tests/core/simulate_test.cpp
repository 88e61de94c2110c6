#include "bpo/core/simulate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "tests/support/problems.h"

namespace bpo {
namespace {

using test::ConstantPolicy;
using test::FunctionPolicy;
using test::make_problem;

TEST(Evaluate, GivesTheSameBitsForAnyNumberOfThreads) {
  for (const char* name : {"tiger", "chain"}) {
    const auto problem = make_problem(name, {"problem.horizon=30"});
    const FunctionPolicy policy = test::random_policy(problem->spec().actions.size());
    ThreadPool one(1), two(2), three(3);
    const Evaluation a = evaluate(*problem, policy, 5, 333, one);
    const Evaluation b = evaluate(*problem, policy, 5, 333, two);
    const Evaluation c = evaluate(*problem, policy, 5, 333, three);
    EXPECT_EQ(a.returns, b.returns);
    EXPECT_EQ(a.returns, c.returns);
    EXPECT_EQ(a.returns.size(), 333u);
    EXPECT_EQ(a.steps, 333 * 30);
    EXPECT_EQ(b.steps, a.steps);
    EXPECT_EQ(a.filter_fallbacks, 0);
    EXPECT_NE(a.returns, evaluate(*problem, policy, 6, 333, one).returns);
  }
}

TEST(Evaluate, AnEpisodeDoesNotDependOnHowManyThereAre) {
  const auto problem = make_problem("chain", {"problem.horizon=20"});
  const FunctionPolicy policy = test::random_policy(2);
  ThreadPool pool(1);
  const auto few = evaluate(*problem, policy, 1, 70, pool).returns;
  const auto many = evaluate(*problem, policy, 1, 200, pool).returns;
  for (std::size_t i = 0; i < few.size(); ++i) ASSERT_EQ(few[i], many[i]);
}

TEST(Evaluate, DiscountsAsTheProblemSays) {
  const auto tiger = make_problem("tiger");
  ThreadPool pool(1);
  const Evaluation listen = evaluate(*tiger, ConstantPolicy(0, 3), 0, 10, pool);
  for (double x : listen.returns) EXPECT_NEAR(x, -(1.0 - std::pow(0.95, 100)) / 0.05, 1e-9);
  EXPECT_NEAR(listen.mean(), -19.88, 0.005);
  EXPECT_NEAR(*listen.ci95(), 0.0, 1e-9);
}

TEST(Evaluate, MeanAndInterval) {
  Evaluation e;
  e.returns = {1.0, 2.0, 4.0, 9.0};
  EXPECT_DOUBLE_EQ(e.mean(), 4.0);
  EXPECT_NEAR(*e.ci95(), 1.96 * std::sqrt((9 + 4 + 0 + 25) / 3.0 / 4.0), 1e-3);
  e.returns = {3.0};
  EXPECT_FALSE(e.ci95().has_value());
}

struct Trace {
  std::vector<float> latents;  // at each reset and after each step
  std::vector<double> rewards;
};

Trace trace(const AnyProblem& problem, const Policy& policy, const Episodes& episodes) {
  Trace out;
  const auto world = problem.make_world();
  const auto actor = policy.make_actor();
  simulate(
      *world, *actor, episodes, LatentSource::kPrior,
      [&](const World& w, const Actions&) {
        for (int lane = 0; lane < episodes.count; ++lane) {
          out.latents.insert(out.latents.end(), w.latent()[lane].begin(), w.latent()[lane].end());
        }
      },
      [&](const World& w, const Actions&) {
        for (int lane = 0; lane < episodes.count; ++lane) out.rewards.push_back(w.reward(lane));
      });
  return out;
}

TEST(Simulate, EveryPolicyMeetsTheSameLatentsAndNoise) {
  const auto chain = make_problem("chain", {"problem.tying=semi", "problem.horizon=15"});
  const Episodes episodes{42, 1000, 64};
  const Trace a = trace(*chain, ConstantPolicy(0, 2), episodes);
  const Trace b = trace(*chain, test::random_policy(2), episodes);
  EXPECT_EQ(a.latents, b.latents);
  EXPECT_NE(a.rewards, b.rewards);
  EXPECT_NE(a.latents, trace(*chain, ConstantPolicy(0, 2), {43, 1000, 64}).latents);

  // A policy that does the same by another road has the very same returns.
  const FunctionPolicy same(
      [](const PolicyInputs&, int lane, Actions& actions) { actions.index[lane] = 0; });
  EXPECT_EQ(a.rewards, trace(*chain, same, episodes).rewards);

  // The same episodes under other lane numbers.
  const Trace shifted = trace(*chain, ConstantPolicy(0, 2), {42, 1032, 32});
  for (int lane = 0; lane < 32; ++lane) ASSERT_EQ(shifted.rewards[lane], a.rewards[lane + 32]);
}

TEST(Simulate, CallsTheHooksOncePerStep) {
  const auto problem = make_problem("tiger", {"problem.horizon=7"});
  const auto world = problem->make_world();
  const auto actor = ConstantPolicy(0, 3).make_actor();
  std::vector<int> before, after;
  simulate(
      *world, *actor, {0, 0, 3}, LatentSource::kPrior,
      [&](const World& w, const Actions&) { before.push_back(w.time()); },
      [&](const World& w, const Actions&) { after.push_back(w.time()); });
  EXPECT_EQ(before, (std::vector<int>{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(after, (std::vector<int>{1, 2, 3, 4, 5, 6, 7}));
  simulate(*world, *actor, {0, 0, 3}, LatentSource::kPrior, nullptr, nullptr);
  EXPECT_TRUE(world->all_done());
}

TEST(Simulate, NominalLatents) {
  const auto world = make_problem("chain")->make_world();
  world->reset({1, 0, 8}, LatentSource::kNominal);
  for (int lane = 0; lane < 8; ++lane) EXPECT_EQ(world->latent()[lane][0], 0.5f);
  const auto tiger = make_problem("tiger")->make_world();
  EXPECT_THROW(tiger->reset({1, 0, 8}, LatentSource::kNominal), Error);
}

}  // namespace
}  // namespace bpo
