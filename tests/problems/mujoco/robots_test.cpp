// The robots as problems: rewards, resets, faults, and the belief over models.
#include "bpo/problems/mujoco/robots.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/problems.h"

namespace bpo {
namespace {

using test::make_problem;

template <class R>
class RobotTest : public testing::Test {
 protected:
  using P = Robot<R>;
  using Controls = std::array<float, R::kU>;

  static Controls normal(Rng& rng) {
    Controls a;
    for (float& u : a) u = static_cast<float>(rng.normal());
    return a;
  }
  P robot_{RobotOptions{}};
};
using Robots = testing::Types<HalfCheetah, Swimmer, Ant>;
TYPED_TEST_SUITE(RobotTest, Robots);

/// 200-step returns under no and under N(0, 1) actions, with the price on the actions as drawn.
struct Returns {
  double zero, random, random_error;
};
template <class R>
constexpr Returns kKnown{};
template <>
constexpr Returns kKnown<HalfCheetah>{-2.7, -141.0, 2.0};
template <>
constexpr Returns kKnown<Swimmer>{0.0, -2.0, 2.0};
template <>
constexpr Returns kKnown<Ant>{0.4, -159.0, 2.0};

TYPED_TEST(RobotTest, ReturnsAreTheKnownOnes) {
  constexpr int kEpisodes = 40;
  for (bool random : {false, true}) {
    double sum = 0.0, squares = 0.0;
    for (int episode = 0; episode < kEpisodes; ++episode) {
      Rng rng(7, Use::kState, episode);
      auto phi = this->robot_.sample_latent(rng);
      auto s = this->robot_.sample_state(phi, rng);
      double total = 0.0;
      for (int t = 0; t < 200; ++t) {
        typename TestFixture::Controls a{};
        if (random) a = this->normal(rng);
        const StepResult result = this->robot_.step(s, phi, a, rng);
        ASSERT_FALSE(result.done || result.fault);
        total += result.reward;
      }
      sum += total;
      squares += total * total;
    }
    const double mean = sum / kEpisodes;
    const double error = std::sqrt((squares / kEpisodes - mean * mean) / kEpisodes);
    const auto& known = kKnown<TypeParam>;
    // The known values are themselves means over some episodes.
    EXPECT_NEAR(mean, random ? known.random : known.zero, 5.0 * error + known.random_error)
        << (random ? "random" : "zero") << ", standard error " << error;
  }
}

/// The capsules and balls of each robot.
template <class R>
constexpr std::size_t kSolids = 0;
template <>
constexpr std::size_t kSolids<HalfCheetah> = 8;
template <>
constexpr std::size_t kSolids<Swimmer> = 5;
template <>
constexpr std::size_t kSolids<Ant> = 13;

TYPED_TEST(RobotTest, SceneShowsTheLinksAtTheirSize) {
  for (const Factors& factors : {Factors{1.0, 1.0}, Factors{0.8, 1.2}}) {
    const Mechanism mechanism = TypeParam::mechanism(factors);
    Rng rng(5, Use::kState, 0);
    Sim sim("model", to_mjcf(TypeParam::mechanism({1.0, 1.0})));
    const typename TestFixture::P::Latent phi{factors, reshape(sim, mechanism)};
    auto s = this->robot_.sample_state(phi, rng);
    s[0] += 3.0;  // the robot's place along x
    const std::vector<Solid> scene = this->robot_.scene(s, phi);
    ASSERT_EQ(scene.size(), kSolids<TypeParam>);
    s[0] -= 1.0;
    const std::vector<Solid> moved = this->robot_.scene(s, phi);
    std::size_t k = 0;
    for (const Link& link : mechanism.links) {
      for (const Shape& shape : link.shapes) {
        const Solid& solid = scene[k];
        EXPECT_NEAR(moved[k++].from[0], solid.from[0] - 1.0, 1e-9) << "it is where the state says";
        double length = 0.0;
        for (int i = 0; i < 3; ++i) length += std::pow(solid.to[i] - solid.from[i], 2);
        EXPECT_NEAR(std::sqrt(length), shape.sphere ? 0.0 : 2.0 * shape.half, 1e-9) << link.name;
        EXPECT_EQ(solid.radius, shape.radius);
      }
    }
  }
}

/// Looking on must not change what happens.
TYPED_TEST(RobotTest, WatchingChangesNothing) {
  const auto problem = make_problem(TypeParam::kName);
  const auto watched = problem->make_world(), alone = problem->make_world();
  for (World* world : {watched.get(), alone.get()}) {
    world->reset({11, 0, 1}, LatentSource::kPrior);
    Actions actions(TypeParam::kU);
    std::fill(actions.box[0].begin(), actions.box[0].end(), 0.7f);
    for (int t = 0; t < 10; ++t) {
      if (world == watched.get()) {
        ASSERT_EQ(world->scene(0).size(), kSolids<TypeParam>);
      }
      world->step(actions);
    }
  }
  EXPECT_TRUE(std::ranges::equal(watched->obs()[0], alone->obs()[0]));
  EXPECT_TRUE(std::ranges::equal(watched->belief()[0], alone->belief()[0]));
}

TYPED_TEST(RobotTest, TellsTheGridTheStageAndItsNames) {
  const auto problem = make_problem(TypeParam::kName);
  const ProblemSpec& spec = problem->spec();
  const ProblemView& view = problem->view();
  ASSERT_TRUE(spec.grid && view.stage);
  EXPECT_TRUE(spec.grid->joint);
  ASSERT_EQ(spec.grid->axes.size(), 2u);
  ASSERT_EQ(spec.grid->axes[1].size(), 5u);
  EXPECT_DOUBLE_EQ(spec.grid->axes[1][0], 0.84);
  EXPECT_DOUBLE_EQ(spec.grid->axes[0][4], 1.16);
  EXPECT_EQ(view.latents.size(), 2u);
  EXPECT_NE(view.observation[0], view.observation[1]);
  EXPECT_TRUE(view.observation.back().ends_with(" velocity")) << view.observation.back();
  const double steps = TypeParam::kName == std::string("half-cheetah") ? 0.01 : 0.025;
  EXPECT_DOUBLE_EQ(view.stage->step_seconds, steps);
}

TYPED_TEST(RobotTest, AStateIsAllThereIs) {
  Rng rng(3, Use::kState, 0);
  auto phi = this->robot_.sample_latent(rng), other = this->robot_.sample_latent(rng);
  auto s = this->robot_.sample_state(phi, rng);
  const auto walk = [&](const auto& robot, auto state, auto latent, std::uint64_t stream) {
    Rng noise(4, Use::kAction, stream);
    for (int t = 0; t < 20; ++t) robot.step(state, latent, this->normal(noise), noise);
    return state;
  };
  s = walk(this->robot_, s, phi, 0);
  const auto straight_on = walk(this->robot_, s, phi, 1);
  walk(this->robot_, s, other, 2);  // another model, another way
  EXPECT_EQ(walk(this->robot_, s, phi, 1), straight_on);
  const auto copy = this->robot_;
  EXPECT_EQ(walk(copy, s, phi, 1), straight_on);
}

TYPED_TEST(RobotTest, ControlsAreClampedAndThePriceIsNot) {
  Rng rng(5, Use::kState, 0);
  auto phi = this->robot_.nominal_latent();
  const auto start = this->robot_.sample_state(phi, rng);
  typename TestFixture::Controls full, more;
  full.fill(1.0f);
  more.fill(7.5f);
  auto s = start, again = start;
  const StepResult a = this->robot_.step(s, phi, full, rng);
  const StepResult b = this->robot_.step(again, phi, more, rng);
  EXPECT_EQ(s, again);
  EXPECT_NEAR(a.reward - b.reward, TypeParam::kPrice * TypeParam::kU * (7.5 * 7.5 - 1.0), 1e-9);
  const double dt = std::is_same_v<TypeParam, HalfCheetah> ? 0.01 : 0.025;
  EXPECT_NEAR(a.reward,
              TypeParam::kForward * (s[0] - start[0]) / dt - TypeParam::kPrice * TypeParam::kU,
              1e-12);
}

TYPED_TEST(RobotTest, ResetsAreAsDescribed) {
  const auto& robot = this->robot_;
  double far = 0.0, speed = 0.0;
  constexpr int kDraws = 400;
  for (int episode = 0; episode < kDraws; ++episode) {
    Rng rng(6, Use::kState, episode);
    const auto phi = robot.sample_latent(rng);
    for (double p : phi.factors) EXPECT_TRUE(p > 0.8 && p < 1.2);
    const auto s = robot.sample_state(phi, rng);
    far = std::max({far, std::abs(s[0]), std::abs(s[1])});
    for (int i = TypeParam::kQ; i < TypeParam::kQ + TypeParam::kV; ++i) speed += s[i] * s[i];
    std::vector<float> seen(robot.spec().obs_dim);
    robot.encode(s, seen);
    EXPECT_EQ(seen[0], static_cast<float>(s[TypeParam::kHidden]));
    EXPECT_EQ(seen.back(), static_cast<float>(s.back()));
  }
  speed = std::sqrt(speed / (kDraws * TypeParam::kV));
  const bool swims = std::is_same_v<TypeParam, Swimmer>;
  EXPECT_NEAR(far, swims ? 0.0 : 0.1, 1e-3);
  EXPECT_NEAR(speed, swims ? 0.0 : 0.1, 5e-3);
  EXPECT_EQ(robot.nominal_latent().factors, (Factors{1.0, 1.0}));
}

TYPED_TEST(RobotTest, TheBeliefSkipsNothingThatMatters) {
  using Filter = ModelGridFilter<Robot<TypeParam>>;
  const Filter lazy(this->robot_), exact(this->robot_, 0.0);
  auto w = lazy.make_weights(), all = exact.make_weights();
  const int episodes = std::is_same_v<TypeParam, Ant> ? 1 : 4, steps = 100;
  for (int episode = 0; episode < episodes; ++episode) {
    Rng rng(8, Use::kWorld, episode);
    auto phi = this->robot_.sample_latent(rng);
    auto s = this->robot_.sample_state(phi, rng);
    lazy.reset(w);
    exact.reset(all);
    for (int t = 0; t < steps; ++t) {
      const auto o = s;
      const auto a = this->normal(rng);
      this->robot_.step(s, phi, a, rng);
      ASSERT_TRUE(lazy.update(w, o, a, s));
      ASSERT_TRUE(exact.update(all, o, a, s));
      double apart = 0.0;
      for (int c = 0; c < this->robot_.cells(); ++c) {
        apart += std::abs(std::exp(w.bound[c]) - std::exp(all.bound[c]));
      }
      ASSERT_LT(apart, Filter::kTolerance);
      ASSERT_EQ(LogWeights::best(w.bound), LogWeights::best(all.bound));
      ASSERT_NEAR(lazy.entropy(w), exact.entropy(all), 1e-2);
    }
  }
  EXPECT_EQ(all.simulations, 25 * steps * episodes);
  EXPECT_LT(w.simulations, all.simulations / 2);
}

TEST(RobotFault, EndsTheEpisodeWithEverythingFinite) {
  for (const char* name : {"half-cheetah", "swimmer", "ant"}) {
    const auto problem = make_problem(name);
    const auto world = problem->make_world();
    world->reset({1, 0, 3}, LatentSource::kPrior);
    Actions actions(world->spec().actions.dim);
    for (int t = 0; t < 3; ++t) world->step(actions);
    const auto copy = [](std::span<const float> x) { return std::vector(x.begin(), x.end()); };
    const auto obs = copy(world->obs()[1]), belief = copy(world->belief()[1]);
    actions.box[1][0] = std::nanf("");
    world->step(actions);
    EXPECT_TRUE(world->done(1));
    EXPECT_FALSE(world->done(0) || world->done(2));
    EXPECT_TRUE(std::isfinite(world->reward(1)));
    EXPECT_EQ(copy(world->obs()[1]), obs);
    EXPECT_EQ(copy(world->belief()[1]), belief);
    EXPECT_EQ(world->faults(), 1);
    world->step(actions);  // a lane that is done is left alone
    EXPECT_EQ(world->faults(), 1);
    EXPECT_EQ(world->filter_fallbacks(), 0);
  }
  EXPECT_FALSE(std::filesystem::exists("MUJOCO_LOG.TXT"));
}

TEST(RobotOptions, AreChecked) {
  EXPECT_EQ(make_problem("ant", {"problem.bins=3"})->spec().belief_dim, 9);
  EXPECT_THROW(make_problem("ant", {"problem.low=1.2", "problem.high=0.8"}), Error);
  EXPECT_THROW(make_problem("ant", {"problem.low=-0.5"}), Error);
  EXPECT_THROW(make_problem("ant", {"problem.first=0.0"}), Error);
  EXPECT_THROW(make_problem("ant", {"problem.second=-0.5"}), Error);
  EXPECT_THROW(make_problem("ant", {"problem.bins=1", "problem.grid=endpoints"}), Error);
  EXPECT_THROW(make_problem("ant", {"problem.sigma=0"}), Error);
  const Robot<Swimmer> centres(RobotOptions{});
  EXPECT_NEAR(centres.cell_factors(0)[0], 0.84, 1e-12);
  EXPECT_NEAR(centres.cell_factors(23)[1], 1.08, 1e-12);
  RobotOptions options;
  options.grid = "endpoints";
  const Robot<Swimmer> endpoints(options);
  EXPECT_NEAR(endpoints.cell_factors(5)[0], 0.9, 1e-12);
  EXPECT_NEAR(endpoints.cell_factors(24)[1], 1.2, 1e-12);
}

}  // namespace
}  // namespace bpo
