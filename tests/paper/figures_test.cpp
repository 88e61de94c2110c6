// The figures that README and docs/reproduce.md claim (claims.h), trained from scratch at the
// defaults. Values are exact or, for LightDark and the robots, means of fixed episodes, so a
// failure means that training got worse. Run with `make paper`.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "bpo/algorithms/train.h"
#include "bpo/core/simulate.h"
#include "bpo/planners/exact.h"
#include "bpo/runs/protocol.h"
#include "tests/paper/claims.h"

namespace bpo {
namespace {

/// A policy and what it was trained on.
struct Learned {
  std::unique_ptr<AnyProblem> problem;
  std::unique_ptr<Policy> policy;
};

Learned learn(const std::string& problem, const std::string& algorithm, int seed,
              const std::vector<std::string>& sets, ThreadPool& pool) {
  Config config;
  for (const std::string& s : sets) config.set(s);
  TrainSetup setup = make_setup(problem, algorithm, config);
  Trainer trainer(*setup.problem, setup.method, setup.train, setup.optimizer,
                  static_cast<std::uint64_t>(seed), pool);
  while (!trainer.finished()) trainer.iterate();
  return {std::move(setup.problem), trainer.best_policy()};
}

constexpr int kEpisodes = 5000, kSimulatedEpisodes = 500;
/// The episodes of `bpo eval --seed 0`.
const std::uint64_t kEpisodesSeed = Protocol{}.episode_seed();

/// The policy's value in the world of the problem changed by `sets`: exact where that is possible.
double value_of(const Policy& policy, const std::string& problem,
                const std::vector<std::string>& sets, ThreadPool& pool) {
  Config config;
  for (const std::string& s : sets) {
    if (s.starts_with("problem.")) config.set(s);
  }
  const auto world = problems().at(problem).make(config);
  if (const InformationModel* model = world->information()) {
    const double value = exact_value(*model, policy, pool).value;
    EXPECT_LE(value, exact_optimum(*model, pool).optimum + 1e-4);
    return value;
  }
  const int episodes = world->spec().simulated ? kSimulatedEpisodes : kEpisodes;
  return evaluate(*world, policy, kEpisodesSeed, episodes, pool).mean();
}

/// The mean value over the claim's seeds, from 0 on.
double trained(const test::Claim& claim) {
  ThreadPool pool(ThreadPool::available());
  std::vector<std::string> sets = claim.sets;
  sets.insert(sets.end(), claim.world.begin(), claim.world.end());
  double mean = 0.0;
  for (int seed = 0; seed < claim.seeds; ++seed) {
    const Learned learned = learn(claim.problem, claim.method, seed, claim.sets, pool);
    const double value = value_of(*learned.policy, claim.problem, sets, pool);
    std::printf("%s seed %d: %.4f\n", claim.name.c_str(), seed, value);
    mean += value / claim.seeds;
  }
  return mean;
}

class Figures : public testing::TestWithParam<test::Claim> {};

TEST_P(Figures, AreReached) {
  const test::Claim& claim = GetParam();
  if (!problems().contains(claim.problem)) GTEST_SKIP() << "built without MuJoCo";
  EXPECT_GE(trained(claim), claim.bar()) << "claimed: " << claim.mean;
}

INSTANTIATE_TEST_SUITE_P(Claimed, Figures, testing::ValuesIn(test::claims()),
                         [](const auto& c) { return c.param.name; });

TEST(Baselines, FailOnTigerAsInThePaper) {
  // The paper: -9.8 +- 2.0 and -19.9 +- 0.0. Always listening is worth exactly -19.88.
  EXPECT_NEAR(trained({"up-mle", "tiger", "up-mle", {}, {}, 3}), -9.8, 2.0);
  EXPECT_NEAR(trained({"epopt", "tiger", "epopt", {}, {}, 3}), -19.9, 0.05);
  EXPECT_NEAR(trained({"dr", "tiger", "dr", {}, {}, 3}), -19.9, 0.05);
}

/// The share of the episodes that start left of 3.5 in which the true x exceeds 4 at some step.
double share_in_the_light(const Learned& learned) {
  const auto world = learned.problem->make_world();
  const auto actor = learned.policy->make_actor();
  int left = 0, lit = 0;
  for (int first = 0; first < kEpisodes; first += kLanes) {
    const int lanes = std::min(kLanes, kEpisodes - first);
    std::array<bool, kLanes> starts_left{}, reaches{};
    simulate(
        *world, *actor, {kEpisodesSeed, static_cast<std::uint64_t>(first), lanes},
        LatentSource::kPrior,
        [&](const World& w, const Actions&) {
          if (w.time() > 0) return;
          for (int lane = 0; lane < lanes; ++lane) starts_left[lane] = w.latent()[lane][0] < 3.5f;
        },
        [&](const World& w, const Actions&) {
          for (int lane = 0; lane < lanes; ++lane) reaches[lane] |= w.latent()[lane][0] > 4.0f;
        });
    for (int lane = 0; lane < lanes; ++lane) {
      left += starts_left[lane];
      lit += starts_left[lane] && reaches[lane];
    }
  }
  return static_cast<double>(lit) / left;
}

struct Walks {
  Evaluation mean_over_seeds;  // by episode
  double share_in_the_light = 0.0;
};

/// LightDark over seeds 0..seeds-1.
Walks walk(const std::string& algorithm, int seeds, const std::vector<std::string>& sets = {}) {
  ThreadPool pool(ThreadPool::available());
  Walks out;
  out.mean_over_seeds.returns.assign(kEpisodes, 0.0);
  for (int seed = 0; seed < seeds; ++seed) {
    const Learned learned = learn("lightdark", algorithm, seed, sets, pool);
    const Evaluation e =
        evaluate(*learned.problem, *learned.policy, kEpisodesSeed, kEpisodes, pool);
    const double share = share_in_the_light(learned);
    std::printf("lightdark %s seed %d: %.2f +- %.2f, %.3f in the light\n", algorithm.c_str(), seed,
                e.mean(), *e.ci95(), share);
    for (int i = 0; i < kEpisodes; ++i) out.mean_over_seeds.returns[i] += e.returns[i] / seeds;
    out.share_in_the_light += share / seeds;
  }
  return out;
}

TEST(LightDark, BpoGoesToTheLight) { EXPECT_GE(walk("bpo", 3).share_in_the_light, 0.9); }

TEST(LightDark, BaselinesAreWorse) {
  const std::vector<double> bpo = walk("bpo", 3).mean_over_seeds.returns;
  for (const char* other : {"up-mle", "epopt", "bpo-minus", "dr"}) {
    Evaluation gap = walk(other, 3).mean_over_seeds;
    for (int i = 0; i < kEpisodes; ++i) gap.returns[i] = bpo[i] - gap.returns[i];
    std::printf("lightdark bpo - %s: %.2f +- %.2f\n", other, gap.mean(), *gap.ci95());
    EXPECT_GT(gap.mean() - *gap.ci95(), 0.0) << other;
  }
}

}  // namespace
}  // namespace bpo
