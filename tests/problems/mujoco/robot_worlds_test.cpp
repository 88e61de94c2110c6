// The robots' worlds with and without a belief, and how fast the belief narrows.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "bpo/problems/mujoco/robots.h"
#include "tests/support/problems.h"

namespace bpo {
namespace {

using test::make_problem;

/// N(0, 1) actions for every lane.
void act_at_random(const World& world, Actions& actions) {
  for (int lane = 0; lane < world.episodes().count; ++lane) {
    Rng rng(1, Use::kAction, lane, static_cast<std::uint32_t>(world.time()));
    for (float& u : actions.box[lane]) u = static_cast<float>(rng.normal());
  }
}

/// Mean entropy of the belief after 1, 5 and 20 random steps.
struct Entropies {
  const char* name;
  std::array<double, 3> nats;
};

TEST(RobotBelief, NarrowsAsFastAsKnown) {
  for (const auto& [name, nats] :
       {Entropies{"half-cheetah", {1.8, .56, .01}}, Entropies{"swimmer", {.2, .02, .0}},
        Entropies{"ant", {2.0, .5, .02}}}) {
    const auto problem = make_problem(name, {"problem.grid=endpoints", "problem.horizon=20"});
    const auto world = problem->make_world();
    constexpr int kEpisodes = 40;
    world->reset({1, 0, kEpisodes}, LatentSource::kPrior);
    Actions actions(world->spec().actions.dim);
    std::array<double, 3> mean{};
    for (int t = 1; t <= 20; ++t) {
      act_at_random(*world, actions);
      world->step(actions);
      for (int k = 0; k < 3; ++k) {
        if (t != std::array{1, 5, 20}[k]) continue;
        for (int lane = 0; lane < kEpisodes; ++lane) {
          mean[k] += world->belief_entropy(lane) / kEpisodes;
        }
      }
    }
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(mean[k], nats[k], .25) << name << " " << k;
    EXPECT_EQ(world->filter_fallbacks(), 0);
    EXPECT_EQ(world->faults(), 0);
  }
}

// Measured: in all 64 of each robot.
TEST(RobotBelief, HasTheTrueCellOrANeighbourOnTopAfter20Steps) {
  for (const char* name : {"half-cheetah", "swimmer", "ant"}) {
    const auto world = make_problem(name, {"problem.horizon=20"})->make_world();
    world->reset({2, 0, kLanes}, LatentSource::kPrior);
    Actions actions(world->spec().actions.dim);
    while (!world->all_done()) {
      act_at_random(*world, actions);
      world->step(actions);
    }
    int near = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      const auto guess = world->estimate()[lane], truth = world->latent()[lane];
      near += std::abs(guess[0] - truth[0]) < 0.12f && std::abs(guess[1] - truth[1]) < 0.12f;
    }
    EXPECT_GE(near, 0.98 * kLanes) << name;
  }
}

TEST(RobotWorld, IsTheSameWithoutABelief) {
  const auto problem = make_problem("swimmer", {"problem.horizon=20"});
  const auto with = problem->make_world(true), without = problem->make_world(false);
  for (World* world : {with.get(), without.get()}) world->reset({3, 10, 4}, LatentSource::kPrior);
  Actions actions(Swimmer::kU);
  for (int lane = 0; lane < 4; ++lane) actions.box[lane][1] = 0.1f * static_cast<float>(lane + 1);
  while (!with->all_done()) {
    with->step(actions);
    without->step(actions);
    for (int lane = 0; lane < 4; ++lane) {
      ASSERT_EQ(with->reward(lane), without->reward(lane));
      ASSERT_TRUE(std::ranges::equal(with->obs()[lane], without->obs()[lane]));
    }
  }
  EXPECT_GT(with->simulated_likelihoods(), 0);
  EXPECT_EQ(without->simulated_likelihoods(), 0);
}

// A belief that costs little is kept, so that training can show how sure it is.
TEST(RobotWorld, KeepsABeliefThatIsNotSimulated) {
  EXPECT_EQ(make_problem("chain")->make_world(false)->spec().belief_dim, 10);
}

}  // namespace
}  // namespace bpo
