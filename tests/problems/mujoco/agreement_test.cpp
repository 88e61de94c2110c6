// Robots on lanes against MuJoCo's own, at the states of a trained gait, with contacts with the
// floor and joint limits, and of a swimmer that rolls up until its links touch.
#include "bpo/runs/agreement.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>

#include "bpo/agent/agent.h"
#include "bpo/agent/bundle.h"
#include "bpo/algorithms/train.h"
#include "bpo/problems/mujoco/robots.h"
#include "bpo/runs/benchmark.h"
#include "tests/support/problems.h"

namespace bpo {
namespace {

using test::make_problem;

// What the documents claim; since version 3 MuJoCo's own solver is not that exact.
constexpr double kApart = mjVERSION_HEADER < 300 ? 1e-11 : 1e-4;

template <class R>
class GaitTest : public testing::Test {};
using Robots = testing::Types<HalfCheetah, Swimmer, Ant>;
TYPED_TEST_SUITE(GaitTest, Robots);

/// A policy after so many iterations, which is enough for a gait, if not for a good one.
Agent trained(const char* robot, int iterations) {
  Config config;
  config.set(fmt::format("algo.iterations={}", iterations));
  config.set("algo.hidden=32");
  config.set("algo.validate_every=1000");
  ThreadPool pool(2);
  TrainSetup setup = make_setup(robot, "bpo", config);
  Trainer trainer(*setup.problem, setup.method, setup.train, setup.optimizer, 0, pool);
  while (!trainer.finished()) trainer.iterate();
  std::shared_ptr<const Policy> policy = trainer.current_policy();
  return Agent({.run = {.problem = robot}, .problem = std::move(setup.problem), .policy = policy});
}

/// What MuJoCo finds in the way of a robot that goes on from a state.
struct Obstacles {
  int contacts = 0, limits = 0;
};

template <class R>
Obstacles obstacles_of_gait(const AnyProblem& problem, Agent& agent, int episodes) {
  Sim sim(R::kName, to_mjcf(R::mechanism({1.0, 1.0})));
  const auto simulator = problem.simulator();
  std::vector<double> o(simulator->observation_size());
  std::array<float, 2> factors;
  Obstacles out;
  for (int episode = 0; episode < episodes; ++episode) {
    Rng latent(1, Use::kLatent, episode), state(1, Use::kState, episode);
    simulator->reset(latent, state);
    simulator->latent(factors);
    sim.apply(reshape(sim, R::mechanism({factors[0], factors[1]})));
    simulator->observe(state, o);
    agent.reset(1, episode);
    for (int t = 0; t < problem.spec().horizon; ++t) {
      const auto action = agent.act(o);
      const std::vector<double> a(action.begin(), action.end());
      const std::vector<float> controls(a.begin(), a.end());
      std::vector<double> s = o;
      EXPECT_TRUE(sim.advance(s, controls, 1));
      const int pyramids = 4 * sim.data().ncon;
      out.contacts += sim.data().ncon;
      out.limits += sim.data().nefc - pyramids;
      simulator->step(a, state);
      simulator->observe(state, o);
      agent.observe(a, o);
    }
  }
  return out;
}

TYPED_TEST(GaitTest, MovesAsMuJoCoDoes) {
  const bool swims = std::is_same_v<TypeParam, Swimmer>;
  const auto lanes = make_problem(TypeParam::kName, {"problem.simulator=lanes"});
  const auto mujoco = make_problem(TypeParam::kName, {"problem.simulator=mujoco"});
  Agent agent = trained(TypeParam::kName, std::is_same_v<TypeParam, Ant> ? 20 : 60);
  const Obstacles met = obstacles_of_gait<TypeParam>(*lanes, agent, 4);
  EXPECT_GT(met.limits, 100) << "the test must try what it is about";
  if (!swims) {
    EXPECT_GT(met.contacts, 200);
  }
  const StepsApart apart = steps_apart(*lanes, *mujoco, &agent, 8);
  EXPECT_EQ(apart.steps, 8 * 200);
  EXPECT_LT(apart.worst, kApart);
  EXPECT_GT(apart.worst, 0.0) << "two simulators never agree to the last bit";
}

TYPED_TEST(GaitTest, MovesAsMuJoCoDoesAtRandom) {
  const auto lanes = make_problem(TypeParam::kName, {"problem.simulator=lanes"});
  const auto mujoco = make_problem(TypeParam::kName, {"problem.simulator=mujoco"});
  const StepsApart apart = steps_apart(*lanes, *mujoco, nullptr, 12);
  EXPECT_GT(apart.steps, 2000);
  EXPECT_LT(apart.worst, kApart);
}

TEST(Agreement, HoldsWhereASwimmersLinksTouch) {
  const auto lanes = make_problem("swimmer", {"problem.simulator=lanes"});
  const auto mujoco = make_problem("swimmer", {"problem.simulator=mujoco"});
  const auto rolls_up =
      std::make_shared<test::FunctionPolicy>([](const PolicyInputs&, int lane, Actions& actions) {
        for (float& u : actions.box[lane]) u = 1.0f;
      });
  Agent agent({.run = {.problem = "swimmer"},
               .problem = make_problem("swimmer", {"problem.simulator=lanes"}),
               .policy = rolls_up});
  const Obstacles met = obstacles_of_gait<Swimmer>(*lanes, agent, 4);
  EXPECT_GT(met.contacts, 100) << "the test must try what it is about";
  const StepsApart apart = steps_apart(*lanes, *mujoco, &agent, 8);
  EXPECT_EQ(apart.steps, 8 * 200);
  EXPECT_LT(apart.worst, kApart);
}

TEST(Agreement, TimesThePolicysWorldOnMuJoCo) {
  EXPECT_EQ(on_mujoco("swimmer", nullptr)->spec().horizon, 200);
  const LoadedPolicy run{.run = {.problem = "swimmer"},
                         .toml =
                             "[run]\nproblem = \"swimmer\"\n[problem]\nhorizon = 7\n"
                             "bins = 3\nsimulator = \"lanes\"\n"};
  const auto problem = on_mujoco("swimmer", &run);
  EXPECT_EQ(problem->spec().horizon, 7);
  EXPECT_EQ(problem->spec().belief_dim, 9) << "three cells for each of two factors";
  EXPECT_EQ(on_mujoco("chain", nullptr), nullptr);
}

TEST(Agreement, IsForProblemsThatMoveOnLanes) {
  EXPECT_TRUE(has_option("ant", "problem.simulator"));
  EXPECT_FALSE(has_option("chain", "problem.simulator"));
}

}  // namespace
}  // namespace bpo
