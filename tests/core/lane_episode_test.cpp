// A lane that begins by itself has the episode that a tile of that number has, and a latent can be
// chosen by the numbers that it is told in.
#include <gtest/gtest.h>

#include <vector>

#include "bpo/core/any_problem.h"

namespace bpo {
namespace {

std::unique_ptr<AnyProblem> make(const std::string& name) {
  Config config;
  return problems().at(name).make(config);
}

/// A world's first steps in a lane, always the same action.
std::vector<double> steps_of(World& world, int lane, int count) {
  Actions actions(world.spec().actions.dim);
  std::vector<double> out;
  for (int t = 0; t < count && !world.done(lane); ++t) {
    world.step(actions);
    out.push_back(world.reward(lane));
    for (float x : world.obs()[lane]) out.push_back(x);
    for (float b : world.belief()[lane]) out.push_back(b);
  }
  return out;
}

TEST(LaneEpisode, IsTheTilesEpisodeOfThatNumber) {
  for (const char* name : {"tiger", "chain", "lightdark"}) {
    const auto problem = make(name);
    const auto tile = problem->make_world(), other = problem->make_world();
    tile->reset({11, 5, 4}, LatentSource::kPrior);
    other->reset({0, 0, 4}, LatentSource::kPrior);
    Actions actions(other->spec().actions.dim);
    for (int t = 0; t < 3; ++t) other->step(actions);  // the tile's clock is ahead of the lane's
    other->begin(2, {11, 7});
    EXPECT_EQ(steps_of(*tile, 2, 9), steps_of(*other, 2, 9)) << name;
  }
}

TEST(LaneEpisode, EndsAfterItsOwnHorizon) {
  Config config;
  config.set("problem.horizon=4");
  const auto problem = problems().at("tiger").make(config);
  const auto world = problem->make_world();
  world->reset({0, 0, 2}, LatentSource::kPrior);
  const Actions actions;
  for (int t = 0; t < 4; ++t) world->step(actions);
  EXPECT_TRUE(world->all_done());
  world->begin(1, {0, 9});
  for (int t = 0; t < 4; ++t) {
    EXPECT_FALSE(world->done(1));
    world->step(actions);
  }
  EXPECT_TRUE(world->done(1));
  EXPECT_FALSE(world->terminal(1));
}

TEST(LaneEpisode, TakesALatentThatWasChosen) {
  for (const char* name : {"tiger", "chain", "lightdark", "rocksample"}) {
    const auto world = make(name)->make_world();
    world->reset({3, 0, 2}, LatentSource::kPrior);
    const auto told = world->latent()[0];
    const std::vector<double> chosen(told.begin(), told.end());
    for (std::uint64_t episode = 20; episode < 25; ++episode) {
      world->begin(1, {3, episode, chosen});
      for (std::size_t i = 0; i < chosen.size(); ++i) {
        EXPECT_FLOAT_EQ(static_cast<float>(chosen[i]), world->latent()[1][i]) << name;
      }
    }
    EXPECT_THROW(world->begin(1, {3, 0, std::vector<double>(chosen.size() + 1)}), Error);
  }
  const auto tiger = make("tiger")->make_world();
  tiger->reset({0, 0, 1}, LatentSource::kPrior);
  EXPECT_THROW(tiger->begin(0, {0, 0, std::vector<double>{2.0}}), Error);
}

}  // namespace
}  // namespace bpo
