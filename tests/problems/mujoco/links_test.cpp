// Mechanisms: an edited model is the recompiled one in every field, and explicit contact pairs are
// MuJoCo's own search to the bit.
#include "bpo/problems/mujoco/links.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "bpo/core/error.h"
#include "bpo/core/rng.h"
#include "bpo/problems/mujoco/robots.h"
#include "tests/problems/mujoco/same_model.h"

namespace bpo {
namespace {

template <class R>
class Mechanisms : public testing::Test {};
using Robots = testing::Types<HalfCheetah, Swimmer, Ant>;
TYPED_TEST_SUITE(Mechanisms, Robots);

TYPED_TEST(Mechanisms, AnEditIsARecompiledModel) {
  Sim sim("robot", to_mjcf(TypeParam::mechanism({1.0, 1.0})));
  Rng rng(1, Use::kLatent, 0);
  std::vector<std::pair<Factors, Patch>> edits;
  for (int round = 0; round < 12; ++round) {
    const Factors p{0.5 + rng.uniform(), 0.5 + rng.uniform()};
    edits.push_back({p, reshape(sim, TypeParam::mechanism(p))});
  }
  edits.push_back({{1.0, 1.0}, reshape(sim, TypeParam::mechanism({1.0, 1.0}))});
  for (const auto& [p, patch] : edits) {
    const Sim compiled("robot", to_mjcf(TypeParam::mechanism(p)));
    sim.apply(patch);
    // Boxes are for a search of contacts, and these robots have explicit pairs.
    test::expect_same_model(&sim.model(), &compiled.model(), {"geom_aabb", "bvh_aabb"});
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(Mechanisms, PairsAreTheSearchToTheBit) {
  if (!kFlagsSayAll && std::is_same_v<TypeParam, Ant>) {
    GTEST_SKIP() << "newer versions add margins up that a search finds; the pairs keep theirs";
  }
  const Factors p{0.83, 1.17};
  Sim pairs("robot", to_mjcf(TypeParam::mechanism(p)));
  Sim search("robot", to_mjcf(TypeParam::mechanism(p), Collision::kSearch));
  EXPECT_EQ(search.model().npair, 0);
  Rng rng(2, Use::kState, 0);
  int touching = 0;
  for (int episode = 0; episode < 4; ++episode) {
    std::vector<double> a(TypeParam::kQ + TypeParam::kV, 0.0);
    std::copy_n(pairs.model().qpos0, TypeParam::kQ, a.begin());
    TypeParam::reset(a, rng);
    std::vector<double> b = a;
    std::vector<float> controls(TypeParam::kU);
    for (int t = 0; t < 100; ++t) {
      // Held for a while, so that the swimmer coils up and touches itself.
      if (t % 20 == 0) {
        for (float& u : controls) u = static_cast<float>(rng.normal());
      }
      ASSERT_TRUE(pairs.advance(a, controls, 5));
      ASSERT_TRUE(search.advance(b, controls, 5));
      ASSERT_EQ(a, b) << t;
      ASSERT_EQ(pairs.data().ncon, search.data().ncon);
      touching += pairs.data().ncon > 0;
    }
  }
  EXPECT_GT(touching, 0) << "nothing was compared";
}

TYPED_TEST(Mechanisms, ImpossibleLengthsAreRefused) {
  for (double bad : {-1.0, 0.0, 1e-9, 1e200, std::nan("")}) {
    RobotOptions options;
    options.low = bad;
    try {
      Robot<TypeParam> robot(options);
      ADD_FAILURE() << bad << " was taken";
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kBadInput);
      EXPECT_NE(std::string(e.what()).find("at factors ("), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find("link '"), std::string::npos) << e.what();
    }
  }
}

struct Expected {
  int nq, nv, nu;
  double total, timestep;
  std::map<std::string, double> mass;
  std::vector<double> gears;
};

void expect_model(const Mechanism& m, const Expected& e) {
  const Sim sim(m.name, to_mjcf(m));
  const mjModel& model = sim.model();
  EXPECT_EQ(model.nq, e.nq);
  EXPECT_EQ(model.nv, e.nv);
  ASSERT_EQ(model.nu, e.nu);
  EXPECT_EQ(model.opt.timestep, e.timestep);
  EXPECT_NEAR(model.body_subtreemass[0], e.total, 0.006 * e.total / 20.0) << m.name;
  for (const auto& [name, mass] : e.mass) {
    const int body = mj_name2id(&model, mjOBJ_BODY, name.c_str());
    ASSERT_GE(body, 0) << name;
    EXPECT_NEAR(model.body_mass[body], mass, 0.006) << name;
  }
  for (int i = 0; i < e.nu; ++i) EXPECT_EQ(model.actuator_gear[6 * i], e.gears[i]) << i;
}

TEST(Mechanisms, HaveThePublishedMasses) {
  const std::vector<double> cheetah{120, 75, 45, 100, 60, 30};
  expect_model(HalfCheetah::mechanism({1, 1}), {9,
                                                9,
                                                6,
                                                21.18,
                                                0.002,
                                                {{"torso", 9.457},
                                                 {"bthigh", 2.336},
                                                 {"bshin", 2.402},
                                                 {"bfoot", 1.657},
                                                 {"fthigh", 2.176},
                                                 {"fshin", 1.817},
                                                 {"ffoot", 1.338}},
                                                cheetah});
  expect_model(HalfCheetah::mechanism({1.2, 1.2}),
               {9, 9, 6, 31.05, 0.002, {{"torso", 10.787}, {"bthigh", 4.036}}, cheetah});
  expect_model(
      Swimmer::mechanism({1, 1}),
      {7,
       7,
       4,
       21.91,
       0.005,
       {{"torso", 6.055}, {"body1", 5.132}, {"body2", 4.298}, {"body3", 3.548}, {"body4", 2.880}},
       {20, 20, 20, 20}});
  expect_model(Swimmer::mechanism({1.2, 1.2}),
               {7,
                7,
                4,
                33.46,
                0.005,
                {{"body1", 8.87}, {"body2", 7.43}, {"body3", 6.13}, {"body4", 4.98}},
                {20, 20, 20, 20}});
  expect_model(Ant::mechanism({1, 1}),
               {15,
                14,
                8,
                182.2,
                0.005,
                {{"torso", 65.45}, {"back", 7.83}, {"back_hip", 7.83}, {"back_ankle", 13.52}},
                std::vector<double>(8, 400)});
  expect_model(Ant::mechanism({1.2, 1}),
               {15,
                14,
                8,
                203.4,
                0.005,
                {{"front_left", 13.53}, {"front_left_ankle", 23.36}, {"front_right", 7.83}},
                std::vector<double>(8, 400)});
}

}  // namespace
}  // namespace bpo
