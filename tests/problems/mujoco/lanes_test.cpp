// The lane simulators against MuJoCo itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "bpo/problems/mujoco/lanes/lane_sim.h"
#include "bpo/problems/mujoco/robots.h"
#include "tests/problems/mujoco/same_model.h"

namespace bpo {
namespace {

constexpr int kFrames = 5;
constexpr double kApart = 1e-11;  // what the documents claim

template <class R>
class LanesTest : public testing::Test {
 protected:
  using State = std::array<double, R::kQ + R::kV>;
  using Controls = std::array<float, R::kU>;

  LanesTest() {
    test::sharpen(sim_.model().opt);
    for (double p : {0.8, 1.0, 1.13}) {
      for (double q : {0.85, 1.2}) {
        patches_.push_back(reshape(sim_, R::mechanism({p, q})));
        numbers_.push_back(lanes_->numbers(sim_.model()));
      }
    }
  }

  State start(Rng& rng) const {
    State s{};
    std::copy_n(sim_.model().qpos0, R::kQ, s.begin());
    R::reset(s, rng);
    return s;
  }
  static Controls normal(Rng& rng, double size) {
    Controls a;
    for (float& u : a) u = static_cast<float>(size * rng.normal());
    return a;
  }
  int models() const { return static_cast<int>(patches_.size()); }

  /// One step of MuJoCo's.
  State expected(int model, State s, const Controls& a, bool euler = true) {
    sim_.apply(patches_[model]);
    EXPECT_TRUE(sim_.advance(s, a, kFrames, euler));
    return s;
  }
  /// The same by lanes, of one model or of several at once.
  std::vector<State> predicted(const std::vector<int>& models, const State& s, const Controls& a,
                               bool euler = true) {
    std::vector<State> out(models.size(), s);
    std::vector<LaneSim::Job> jobs;
    for (std::size_t k = 0; k < models.size(); ++k)
      jobs.push_back({numbers_[models[k]], out[k], a});
    lanes_->advance(jobs, kFrames, euler);
    covered_ = std::all_of(jobs.begin(), jobs.end(), [](const auto& job) { return job.covered; });
    return out;
  }

  Sim sim_{R::kName, to_mjcf(R::mechanism({1.0, 1.0}))};
  std::shared_ptr<const LaneSim> lanes_ = LaneSim::of(sim_.model());
  std::vector<Patch> patches_;
  std::vector<LaneSim::Numbers> numbers_;
  bool covered_ = false;  // the last prediction
};
using Robots = testing::Types<HalfCheetah, Swimmer, Ant>;
TYPED_TEST_SUITE(LanesTest, Robots);

template <class State>
double distance(const State& a, const State& b) {
  double far = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) far = std::max(far, std::abs(a[i] - b[i]));
  return far;
}

TYPED_TEST(LanesTest, MovesAsMuJoCoDoes) {
  ASSERT_TRUE(this->lanes_);
  int predictions = 0, covered = 0, contacts = 0, limits = 0;
  for (int episode = 0; episode < 24; ++episode) {
    Rng rng(1, Use::kState, episode);
    auto s = this->start(rng);
    const int truth = episode % this->models();
    const double size = std::array{0.3, 1.0, 3.0}[episode / 8];
    for (int t = 0; t < 100; ++t) {
      const auto a = this->normal(rng, size);
      for (int model = 0; model < this->models(); ++model) {
        const bool euler = model % 2 == 0;
        const auto next = this->expected(model, s, a, euler);
        const auto got = this->predicted({model}, s, a, euler)[0];
        ++predictions;
        covered += this->covered_;
        if (this->covered_) {
          ASSERT_LT(distance(got, next), kApart) << episode << " " << t;
        }
      }
      s = this->expected(truth, s, a);
      contacts += this->sim_.data().ncon;
      limits += this->sim_.data().nefc - 4 * this->sim_.data().ncon;
    }
  }
  EXPECT_GT(covered, 0.99 * predictions);
  EXPECT_GT(limits, 100) << "the test must try what it is about";
  if (!std::is_same_v<TypeParam, Swimmer>) {
    EXPECT_GT(contacts, 1000);
  }
}

TYPED_TEST(LanesTest, ALaneDoesNotKnowItsNeighbours) {
  ASSERT_TRUE(this->lanes_);
  Rng rng(2, Use::kState, 0);
  auto s = this->start(rng);
  for (int t = 0; t < 150; ++t) {
    const auto a = this->normal(rng, 1.0);
    const auto together = this->predicted({0, 3, 5, 2}, s, a);
    EXPECT_EQ(this->predicted({5}, s, a)[0], together[2]);
    EXPECT_EQ(this->predicted({5, 0}, s, a)[1], together[0]);
    s = this->expected(1, s, a);
  }
}

TYPED_TEST(LanesTest, LeavesToMuJoCoWhatItCannotDo) {
  ASSERT_TRUE(this->lanes_);
  Rng rng(3, Use::kState, 0);
  const auto s = this->start(rng);
  const auto a = this->normal(rng, 1.0);
  this->predicted({0}, s, a);
  ASSERT_TRUE(this->covered_);
  for (double bad : {std::numeric_limits<double>::quiet_NaN(), 1e300}) {
    for (std::size_t i : {std::size_t{0}, std::size_t{2}, s.size() - 1}) {
      auto broken = s;
      broken[i] = bad;
      const auto same = this->predicted({0}, broken, a)[0];
      EXPECT_FALSE(this->covered_) << i << " " << bad;
      EXPECT_EQ(same[1], broken[1]) << "the state is left alone";
    }
  }
  auto controls = a;
  controls[0] = std::numeric_limits<float>::quiet_NaN();
  this->predicted({0}, s, controls);
  EXPECT_FALSE(this->covered_);
}

TEST(LaneVector, SineAndCosineAreTheLibrarys) {
  Rng rng(4, Use::kInit, 0);
  for (double size : {1e-3, 1.0, 10.0, 1e5}) {
    for (int i = 0; i < 5000; ++i) {
      const double x = size * (2.0 * rng.uniform() - 1.0);
      lanes::Pack sine, cosine;
      lanes::sin_cos(lanes::Pack{x, -x, 0.0, x}, sine, cosine);
      ASSERT_NEAR(sine[3], std::sin(x), 3e-16) << x;
      ASSERT_NEAR(cosine[3], std::cos(x), 3e-16) << x;
      ASSERT_EQ(sine[1], -sine[0]);
      ASSERT_EQ(cosine[2], 1.0);
    }
  }
}

using SwimmerLanes = LanesTest<Swimmer>;

// Rolled up, the first link of the chain meets the last two.
TEST_F(SwimmerLanes, LeavesLinksThatTouchToMuJoCo) {
  int touching = 0;
  for (int i = 0; i <= 60; ++i) {
    State s{};
    for (int j = 3; j < 7; ++j) s[j] = 0.03 * i;
    for (int model = 0; model < models(); ++model) {
      const State next = expected(model, s, {});
      const bool touches = sim_.data().ncon > 0;
      const State got = predicted({model}, s, {})[0];
      touching += touches;
      if (covered_) {
        EXPECT_FALSE(touches) << i;
        EXPECT_LT(distance(got, next), kApart);
      }
      EXPECT_TRUE(covered_ || i > 35) << i;
    }
  }
  EXPECT_GT(touching, 10);
}

enum class Place { kUpright, kWater, kSpace };

/// A tree of capsules and balls with every kind of spring, limit and softness: upright on the
/// floor, flat in water, or in space and on the floor.
Mechanism random_mechanism(Place place, Rng& rng) {
  const auto draw = [&](double low, double high) { return low + (high - low) * rng.uniform(); };
  const auto inside = [&](double size) {
    const double a = draw(-size, size), b = draw(-size, size), c = draw(-size, size);
    return place == Place::kUpright ? Vec3{a, 0.0, b}
           : place == Place::kWater ? Vec3{a, b, 0.0}
                                    : Vec3{a, b, c};
  };
  const bool water = place == Place::kWater;
  Mechanism m{.name = "random",
              .settings = fmt::format(
                  "<compiler angle='radian'/><option timestep='{}' integrator='RK4' {}/>",
                  draw(0.001, 0.005), water ? "density='900' viscosity='.01'" : ""),
              .surface = {.friction = {draw(0.1, 1.5), 0.1, 0.1},
                          .solref = {draw(0.005, 0.05), draw(0.5, 1.5)},
                          .solimp = {draw(0.0, 0.9), draw(0.5, 0.99), draw(0.001, 0.1)},
                          .margin = std::max(0.0, draw(-0.01, 0.02))},
              .contacts = water ? Contacts::kLinks : Contacts::kFloor};
  const int links = 2 + static_cast<int>(7.0 * rng.uniform());
  for (int i = 0; i < links; ++i) {
    Link link{.name = fmt::format("l{}", i), .parent = i - 1, .pos = inside(0.4)};
    if (i > 2 && rng.uniform() < 0.4) link.parent = m.links[i - 1].parent;
    if (rng.uniform() < 0.2) {
      link.shapes.push_back({.centre = inside(0.1), .radius = draw(0.05, 0.1), .sphere = true});
    } else {
      const Vec3 from = inside(0.1);
      Vec3 to = inside(0.4);
      const int same = rng.uniform() < 0.5;  // a box in water must not lie askew
      if (water) to[same] = from[same];
      link.shapes.push_back(capsule(from, to, draw(0.03, 0.08)));
    }
    std::string axis = water ? "0 0 1" : "0 1 0";
    if (place == Place::kSpace) {
      axis = fmt::format("{} {} {}", rng.normal(), rng.normal(), rng.normal());
    }
    if (i == 0 && place == Place::kSpace) {
      link.joints = fmt::format("<joint type='free' damping='{}'/>", draw(0.0, 1.0));
    } else if (i == 0) {
      link.joints = fmt::format(
          "<joint type='slide' axis='1 0 0' damping='{}'/><joint type='slide' axis='{}'/>"
          "<joint type='hinge' axis='{}'/>",
          draw(0.0, 1.0), water ? "0 1 0" : "0 0 1", axis);
    } else if (place != Place::kSpace || i % 3 != 2) {  // or fixed
      link.joints = fmt::format(
          "<joint name='j{}' type='hinge' axis='{}' ref='{}' springref='{}' stiffness='{}' "
          "damping='{}' armature='{}' limited='{}' range='{} {}' margin='{}' solreflimit='{} 1' "
          "solimplimit='{} {} {} {} {}'/>",
          i, axis, draw(-0.3, 0.3), draw(-0.3, 0.3), draw(0.0, 20.0), draw(0.0, 3.0),
          draw(0.0, 0.2), rng.uniform() < 0.7, draw(-1.5, -0.3), draw(0.3, 1.5), draw(0.0, 0.1),
          draw(0.005, 0.05), draw(0.0, 0.9), draw(0.5, 0.99), draw(0.001, 0.1), draw(0.2, 0.8),
          rng.uniform() < 0.5 ? 1 : 2);
      m.motors.push_back({fmt::format("j{}", i), draw(1.0, 30.0)});
    }
    m.links.push_back(link);
  }
  return m;
}

TEST(Lanes, MoveRandomMechanismsAsMuJoCoDoes) {
  for (Place place : {Place::kUpright, Place::kWater, Place::kSpace}) {
    int predictions = 0, covered = 0, contacts = 0;
    for (int k = 0; k < 30; ++k) {
      Rng rng(5, Use::kInit, k);
      Sim sim("random", to_mjcf(random_mechanism(place, rng)));
      const auto lanes = LaneSim::of(sim.model());
      ASSERT_TRUE(lanes) << k;
      const LaneSim::Numbers numbers = lanes->numbers(sim.model());
      const auto nq = static_cast<std::size_t>(sim.model().nq);
      for (int t = 0; t < 40; ++t) {
        const bool euler = t % 2 == 0;
        std::vector<double> s(nq + sim.model().nv);
        for (double& x : s) x = rng.normal();
        for (std::size_t i = 0; i < nq; ++i) s[i] *= 0.5;
        if (place == Place::kSpace) mju_normalize4(s.data() + 3);
        std::vector<float> a(sim.model().nu);
        for (float& u : a) u = static_cast<float>(rng.normal());
        auto got = s;
        std::array jobs{LaneSim::Job{numbers, got, a}};
        lanes->advance(jobs, 3, euler);
        ++predictions;
        covered += jobs[0].covered;
        if (!sim.advance(s, a, 3, euler) || !jobs[0].covered) continue;
        contacts += sim.data().ncon;
        double size = 1.0;
        for (double x : s) size = std::max(size, std::abs(x));
        ASSERT_LT(distance(got, s), 1e-7 * size) << k << " " << t;
      }
    }
    EXPECT_GT(covered, (place == Place::kWater ? 0.4 : 0.95) * predictions);
    if (place != Place::kWater) {  // there is no floor in water
      EXPECT_GT(contacts, 300);
    }
  }
}

TEST(Lanes, ContactsThatAreSearchedForAreThoseOfPairs) {
  const Sim pairs("pairs", to_mjcf(HalfCheetah::mechanism({0.9, 1.1})));
  const Sim search("search", to_mjcf(HalfCheetah::mechanism({0.9, 1.1}), Collision::kSearch));
  ASSERT_EQ(search.model().npair, 0);
  const auto one = LaneSim::of(pairs.model()), two = LaneSim::of(search.model());
  ASSERT_NE(two, nullptr);
  const auto numbers = one->numbers(pairs.model());
  EXPECT_EQ(numbers, two->numbers(search.model()));
  Rng rng(7, Use::kState, 0);
  std::vector<double> a(HalfCheetah::kQ + HalfCheetah::kV, 0.0);
  HalfCheetah::reset(a, rng);
  for (int t = 0; t < 100; ++t) {
    std::array<float, HalfCheetah::kU> u;
    for (float& x : u) x = static_cast<float>(rng.normal());
    std::vector<double> b = a;
    std::array<LaneSim::Job, 1> by_pairs{{{numbers, a, u}}}, by_search{{{numbers, b, u}}};
    one->advance(by_pairs, 5);
    two->advance(by_search, 5);
    ASSERT_EQ(by_pairs[0].covered, by_search[0].covered);
    ASSERT_EQ(a, b) << t;
  }
}

TEST(Lanes, IsNotForEveryModel) {
  const auto covers = [](const std::string& mjcf) {
    const Sim sim("model", mjcf);
    const auto lanes = LaneSim::of(sim.model());
    return lanes != nullptr && !lanes->numbers(sim.model()).empty();
  };
  const std::string cheetah = to_mjcf(HalfCheetah::mechanism({1.0, 1.0}));
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = cheetah;
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  EXPECT_TRUE(covers(cheetah));
  EXPECT_FALSE(covers(changed("<joint name='bshin' type='hinge' axis='0 1 0'",
                              "<joint name='bshin' type='hinge' axis='1 0 0'")));
  EXPECT_FALSE(covers(changed("<joint name='bshin' type='hinge'",
                              "<joint name='bshin' pos='0 0 .1' type='hinge'")));
  EXPECT_FALSE(covers(changed("<body name='bshin'", "<body name='bshin' euler='0 .1 0'")));
  EXPECT_FALSE(covers(changed("<motor joint='bthigh'", "<position joint='bthigh'")));
  EXPECT_FALSE(covers(changed("timestep='0.002'", "timestep='0.002' cone='elliptic'")));
  EXPECT_FALSE(covers(changed("timestep='0.002'", "timestep='0.002' wind='1 0 0'")));
  EXPECT_FALSE(
      covers(changed("name='bshin' type='hinge'", "name='bshin' frictionloss='1' type='hinge'")));
}

}  // namespace
}  // namespace bpo
