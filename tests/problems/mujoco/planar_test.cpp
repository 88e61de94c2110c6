// The planar simulator against MuJoCo itself.
#include "bpo/problems/mujoco/planar.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "bpo/problems/mujoco/planar_vector.h"
#include "bpo/problems/mujoco/robots.h"

namespace bpo {
namespace {

constexpr int kFrames = 5;

template <class R>
class PlanarTest : public testing::Test {
 protected:
  using State = std::array<double, R::kQ + R::kV>;
  using Controls = std::array<float, R::kU>;

  PlanarTest() {
    for (double p : {0.8, 1.0, 1.13}) {
      for (double q : {0.85, 1.2}) patches_.push_back(reshape(sim_, R::mechanism({p, q})));
    }
    planar_ = PlanarSim::of(sim_, patches_);
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
  State expected(int model, State s, const Controls& a) {
    sim_.apply(patches_[model]);
    EXPECT_TRUE(sim_.advance(s, a, kFrames, /*euler=*/true));
    return s;
  }
  /// One step of the planar simulator's, of one model or of several at once.
  std::vector<State> predicted(const std::vector<int>& models, const State& s, const Controls& a) {
    std::vector<State> out(models.size(), s);
    std::vector<PlanarSim::Job> jobs;
    for (std::size_t k = 0; k < models.size(); ++k) jobs.push_back({models[k], out[k], a});
    planar_->advance(jobs, kFrames);
    covered_ = std::all_of(jobs.begin(), jobs.end(), [](const auto& job) { return job.covered; });
    return out;
  }

  Sim sim_{R::kName, to_mjcf(R::mechanism({1.0, 1.0}))};
  std::vector<Patch> patches_;
  std::optional<PlanarSim> planar_;
  bool covered_ = false;  // the last prediction
};
using PlanarRobots = testing::Types<HalfCheetah, Swimmer>;
TYPED_TEST_SUITE(PlanarTest, PlanarRobots);

template <class State>
double distance(const State& a, const State& b) {
  double far = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) far = std::max(far, std::abs(a[i] - b[i]));
  return far;
}

TYPED_TEST(PlanarTest, MovesAsMuJoCoDoes) {
  ASSERT_TRUE(this->planar_);
  int predictions = 0, covered = 0, contacts = 0, limits = 0;
  for (int episode = 0; episode < 24; ++episode) {
    Rng rng(1, Use::kState, episode);
    auto s = this->start(rng);
    const int truth = episode % this->models();
    const double size = std::array{0.3, 1.0, 3.0}[episode / 8];
    for (int t = 0; t < 100; ++t) {
      const auto a = this->normal(rng, size);
      for (int model = 0; model < this->models(); ++model) {
        const auto next = this->expected(model, s, a);
        const auto got = this->predicted({model}, s, a)[0];
        ++predictions;
        covered += this->covered_;
        if (this->covered_) {
          ASSERT_LT(distance(got, next), 1e-9) << episode << " " << t;
        }
      }
      s = this->expected(truth, s, a);
      contacts += this->sim_.data().ncon;
      limits += this->sim_.data().nefc - 4 * this->sim_.data().ncon;
    }
  }
  EXPECT_GT(covered, 0.99 * predictions);
  EXPECT_GT(limits, 100) << "the test must try what it is about";
  if (std::is_same_v<TypeParam, HalfCheetah>) {
    EXPECT_GT(contacts, 1000);
  }
}

TYPED_TEST(PlanarTest, ALaneDoesNotKnowItsNeighbours) {
  ASSERT_TRUE(this->planar_);
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

TYPED_TEST(PlanarTest, LeavesToMuJoCoWhatItCannotDo) {
  ASSERT_TRUE(this->planar_);
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

TEST(PlanarVector, SineAndCosineAreTheLibrarys) {
  Rng rng(4, Use::kInit, 0);
  for (double size : {1e-3, 1.0, 10.0, 1e5}) {
    for (int i = 0; i < 5000; ++i) {
      const double x = size * (2.0 * rng.uniform() - 1.0);
      planar::Vec sine, cosine;
      planar::sin_cos(planar::Vec{x, -x, 0.0, x}, sine, cosine);
      ASSERT_NEAR(sine[3], std::sin(x), 3e-16) << x;
      ASSERT_NEAR(cosine[3], std::cos(x), 3e-16) << x;
      ASSERT_EQ(sine[1], -sine[0]);
      ASSERT_EQ(cosine[2], 1.0);
    }
  }
}

using PlanarSwimmer = PlanarTest<Swimmer>;

// Rolled up, the first link of the chain meets the last two.
TEST_F(PlanarSwimmer, LeavesLinksThatTouchToMuJoCo) {
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
        EXPECT_LT(distance(got, next), 1e-9);
      }
      EXPECT_TRUE(covered_ || i > 35) << i;
    }
  }
  EXPECT_GT(touching, 10);
}

/// A tree of capsules and balls with every kind of spring, limit and softness: on the floor and
/// upright, or in water and flat.
Mechanism random_mechanism(bool floor, Rng& rng) {
  const auto draw = [&](double low, double high) { return low + (high - low) * rng.uniform(); };
  const auto in_plane = [&](double size) {
    const double a = draw(-size, size), b = draw(-size, size);
    return floor ? Vec3{a, 0.0, b} : Vec3{a, b, 0.0};
  };
  Mechanism m{
      .name = "random",
      .settings = fmt::format("<compiler angle='radian'/><option timestep='{}' {}/>",
                              draw(0.001, 0.005), floor ? "" : "density='900' viscosity='.01'"),
      .surface = {.friction = {draw(0.1, 1.5), 0.1, 0.1},
                  .solref = {draw(0.005, 0.05), draw(0.5, 1.5)},
                  .solimp = {draw(0.0, 0.9), draw(0.5, 0.99), draw(0.001, 0.1)},
                  .margin = draw(-0.01, 0.02)},
      .contacts = floor ? Contacts::kFloor : Contacts::kLinks};
  m.surface.margin = std::max(0.0, m.surface.margin);
  const char *axis = floor ? "0 1 0" : "0 0 1", *second = floor ? "0 0 1" : "0 1 0";
  const int links = 2 + static_cast<int>(7.0 * rng.uniform());
  for (int i = 0; i < links; ++i) {
    Link link{.name = fmt::format("l{}", i), .parent = i - 1, .pos = in_plane(0.4)};
    if (i > 2 && rng.uniform() < 0.4) link.parent = m.links[i - 1].parent;
    if (rng.uniform() < 0.2) {
      link.shapes.push_back({.centre = in_plane(0.1), .radius = draw(0.05, 0.1), .sphere = true});
    } else {
      const Vec3 from = in_plane(0.1);
      Vec3 to = in_plane(0.4);
      const int same = rng.uniform() < 0.5;  // a box in water must not lie askew
      if (!floor) to[same] = from[same];
      link.shapes.push_back(capsule(from, to, draw(0.03, 0.08)));
    }
    if (i == 0) {
      link.joints = fmt::format(
          "<joint type='slide' axis='1 0 0' damping='{}'/><joint type='slide' axis='{}'/>"
          "<joint type='hinge' axis='{}'/>",
          draw(0.0, 1.0), second, axis);
    } else {
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

TEST(Planar, MovesRandomMechanismsAsMuJoCoDoes) {
  int predictions = 0, covered = 0, contacts = 0;
  for (int k = 0; k < 60; ++k) {
    Rng rng(5, Use::kInit, k);
    const bool floor = k % 2 == 0;
    Sim sim("random", to_mjcf(random_mechanism(floor, rng)));
    const std::vector<Patch> as_it_is = {sim.edit([](mjModel&) {})};
    const auto planar = PlanarSim::of(sim, as_it_is);
    ASSERT_TRUE(planar) << k;
    const auto nv = static_cast<std::size_t>(sim.model().nv);
    for (int t = 0; t < 40; ++t) {
      std::vector<double> s(2 * nv);
      for (double& x : s) x = rng.normal();
      for (std::size_t i = 0; i < nv; ++i) s[i] *= 0.5;
      std::vector<float> a(sim.model().nu);
      for (float& u : a) u = static_cast<float>(rng.normal());
      auto got = s;
      std::array jobs{PlanarSim::Job{0, got, a}};
      planar->advance(jobs, 3);
      ++predictions;
      covered += jobs[0].covered;
      if (!sim.advance(s, a, 3, /*euler=*/true) || !jobs[0].covered) continue;
      contacts += sim.data().ncon;
      double size = 1.0;
      for (double x : s) size = std::max(size, std::abs(x));
      ASSERT_LT(distance(got, s), 1e-7 * size) << k << " " << t;
    }
  }
  EXPECT_GT(covered, 0.6 * predictions);
  EXPECT_GT(contacts, 300);
}

TEST(Planar, IsNotForEveryModel) {
  const auto covers = [](const std::string& mjcf) {
    Sim sim("model", mjcf);
    const std::vector<Patch> as_it_is = {sim.edit([](mjModel&) {})};
    return PlanarSim::of(sim, as_it_is).has_value();
  };
  const std::string cheetah = to_mjcf(HalfCheetah::mechanism({1.0, 1.0}));
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = cheetah;
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  EXPECT_TRUE(covers(cheetah));
  EXPECT_FALSE(covers(to_mjcf(Ant::mechanism({1.0, 1.0}))));
  EXPECT_FALSE(covers(to_mjcf(HalfCheetah::mechanism({1.0, 1.0}), Collision::kSearch)));
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
