#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "tests/support/problems.h"

namespace bpo {
namespace {

using test::make_problem;

enum : int { kListen, kOpenLeft, kOpenRight };
enum : int { kHeardLeft, kHeardRight, kNone };

int sound_of(std::span<const float> obs) {
  int sound = -1;
  float total = 0.0f;
  for (int i = 0; i < 3; ++i) {
    if (obs[i] == 1.0f) sound = i;
    total += obs[i];
  }
  EXPECT_EQ(total, 1.0f);
  return sound;
}

TEST(Tiger, Spec) {
  const auto tiger = make_problem("tiger");
  EXPECT_EQ(tiger->spec().horizon, 100);
  EXPECT_EQ(tiger->spec().discount, 0.95);
  EXPECT_EQ(tiger->spec().actions.size(), 3);
  EXPECT_EQ(tiger->spec().belief_dim, 2);
  EXPECT_EQ(tiger->spec().estimate_dim, 1);
  EXPECT_FALSE(tiger->has_nominal());
  EXPECT_THROW(make_problem("tiger", {"problem.accuracy=1.1"}), Error);
  EXPECT_THROW(make_problem("tiger", {"problem.horizon=0"}), Error);
}

TEST(Tiger, RewardsSoundsAndBeliefs) {
  const auto tiger = make_problem("tiger", {"problem.accuracy=0.8", "problem.horizon=400"});
  const auto world = tiger->make_world();
  Actions actions;
  world->reset({1, 0, kLanes}, LatentSource::kPrior);
  std::array<int, kLanes> lead{};
  double listens = 0.0, right_sounds = 0.0, redraws = 0.0, redrawn_left = 0.0;
  for (int lane = 0; lane < kLanes; ++lane) EXPECT_EQ(sound_of(world->obs()[lane]), kNone);
  while (!world->all_done()) {
    std::array<int, kLanes> door{};
    for (int lane = 0; lane < kLanes; ++lane) {
      door[lane] = static_cast<int>(world->latent()[lane][0]);
      Rng rng(9, Use::kAction, lane, static_cast<std::uint32_t>(world->time()));
      actions.index[lane] = rng.uniform() < 0.8 ? kListen : 1 + rng.below(2);
    }
    world->step(actions);
    for (int lane = 0; lane < kLanes; ++lane) {
      const int a = actions.index[lane], sound = sound_of(world->obs()[lane]);
      const int now = static_cast<int>(world->latent()[lane][0]);
      if (a == kListen) {
        ASSERT_EQ(world->reward(lane), -1.0);
        ASSERT_EQ(now, door[lane]) << "listening moved the tiger";
        ASSERT_NE(sound, kNone);
        lead[lane] += sound == kHeardLeft ? 1 : -1;
        listens += 1.0;
        right_sounds += sound == door[lane];
      } else {
        ASSERT_EQ(world->reward(lane), a - kOpenLeft == door[lane] ? -100.0 : 10.0);
        ASSERT_EQ(sound, kNone);
        lead[lane] = 0;
        redraws += 1.0;
        redrawn_left += now == 0;
        ASSERT_EQ(world->belief()[lane][0], 0.5f);
        ASSERT_EQ(world->belief()[lane][1], 0.5f);
      }
      const double left = 1.0 / (1.0 + std::pow(0.25, lead[lane]));
      ASSERT_NEAR(world->belief()[lane][0], left, 1e-6);
      ASSERT_NEAR(world->belief()[lane][1], 1.0 - left, 1e-6);
      ASSERT_EQ(world->estimate()[lane][0], lead[lane] < 0 ? 1.0f : 0.0f);  // tie: left
    }
  }
  EXPECT_EQ(world->time(), 400);
  // False alarm 1e-6 each.
  EXPECT_NEAR(right_sounds / listens, 0.8, 4.9 * std::sqrt(0.16 / listens));
  EXPECT_NEAR(redrawn_left / redraws, 0.5, 4.9 * 0.5 / std::sqrt(redraws));
  EXPECT_EQ(world->filter_fallbacks(), 0);
}

TEST(Tiger, PerfectHearingNeverFallsBack) {
  const auto tiger = make_problem("tiger", {"problem.accuracy=1", "problem.horizon=20"});
  const auto world = tiger->make_world();
  Actions actions;
  world->reset({1, 0, kLanes}, LatentSource::kPrior);
  while (!world->all_done()) {
    actions.index.fill(world->time() % 5 == 4 ? kOpenLeft : kListen);
    world->step(actions);
    for (int lane = 0; lane < kLanes && actions.index[0] == kListen; ++lane) {
      const int door = static_cast<int>(world->latent()[lane][0]);
      ASSERT_EQ(world->belief()[lane][door], 1.0f);
    }
  }
  EXPECT_EQ(world->filter_fallbacks(), 0);
}

TEST(TigerInformation, IsTheHistorysLeadAndLastSound) {
  const auto tiger = make_problem("tiger");
  const InformationModel& model = *tiger->information();
  const ProblemSpec& spec = tiger->spec();
  using Info = std::tuple<int, int>;  // lead, sound
  std::map<Info, std::size_t> now = {{{0, kNone}, model.start()}};
  for (int t = 0; t <= 12; ++t) {
    std::set<std::size_t> used;
    std::map<Info, std::size_t> next;
    for (const auto& [info, i] : now) {
      const auto [lead, sound] = info;
      ASSERT_LT(i, model.size(t));
      ASSERT_TRUE(used.insert(i).second) << "two histories share an index";
      std::vector<float> obs(spec.obs_dim), belief(2), estimate(1);
      model.inputs(t, i, {obs, belief, estimate});
      EXPECT_EQ(sound_of(obs), sound);
      const double left = 1.0 / (1.0 + std::pow(0.15 / 0.85, lead));
      EXPECT_NEAR(belief[0], left, 1e-6);
      for (int a = 0; a < 3; ++a) {
        std::array<Outcome, kMaxOutcomes> out;
        const int n = model.outcomes(t, i, a, Perspective::kTrue, out);
        double total = 0.0, reward = 0.0;
        for (int k = 0; k < n; ++k) {
          ASSERT_GE(out[k].probability, 0.0);
          ASSERT_LT(out[k].next, model.size(t + 1));
          total += out[k].probability;
          reward += out[k].probability * out[k].reward;
          model.inputs(t + 1, out[k].next, {obs, belief, estimate});
          const int heard = sound_of(obs);
          const Info after =
              a == kListen ? Info(lead + (heard == kHeardLeft ? 1 : -1), heard) : Info(0, kNone);
          if (a == kListen) {
            const double hear_left = left * 0.85 + (1.0 - left) * 0.15;
            EXPECT_NEAR(out[k].probability, heard == kHeardLeft ? hear_left : 1.0 - hear_left,
                        1e-12);
          }
          const auto known = next.emplace(after, out[k].next).first;
          EXPECT_EQ(known->second, out[k].next) << "one history, two indices";
        }
        EXPECT_NEAR(total, 1.0, 1e-12);
        const double tiger_here = a == kOpenLeft ? left : 1.0 - left;
        EXPECT_NEAR(reward, a == kListen ? -1.0 : 10.0 - 110.0 * tiger_here, 1e-9);
      }
    }
    now = next;
  }
}

}  // namespace
}  // namespace bpo
