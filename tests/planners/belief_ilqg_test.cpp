// The planner in belief space: exact where the problem is linear and quadratic, and on LightDark it
// goes to the light.
#include "bpo/planners/belief_ilqg.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bpo/core/simulate.h"
#include "bpo/planners/planner.h"
#include "tests/support/lqg_problem.h"
#include "tests/support/problems.h"

namespace bpo {
namespace {

const BeliefIlqgOptions kQuick{.guesses = 3, .iterations = 4, .rollouts = 8};

TEST(BeliefIlqg, IsRiccatisPolicyWhereThatIsOptimal) {
  const test::LqgOptions options;
  const test::LqgWithKalman problem(options);
  const auto gains = test::LqgProblem(options).optimal_gains();
  const auto policy = make_belief_ilqg(problem, kQuick);
  const auto world = problem.make_world();
  const auto actor = policy->make_actor();
  int steps = 0;
  simulate(*world, *actor, {7, 0, 8}, LatentSource::kPrior,
           [&](const World& w, const Actions& actions) {
             ++steps;
             for (int lane = 0; lane < 8; ++lane) {
               const auto b = w.belief()[lane];
               const double best = -(gains[w.time()] * Vector<2>(b[0], b[1])).value();
               EXPECT_NEAR(actions.box[lane][0], best, 1e-5) << "t = " << w.time();
             }
           },
           {});
  EXPECT_EQ(steps, options.horizon);
}

TEST(BeliefIlqg, HoldsTheLimits) {
  const test::LqgOptions options{.horizon = 6, .limit = 0.3};
  const test::LqgWithKalman problem(options);
  const auto gains = test::LqgProblem(options).optimal_gains();
  const auto policy = make_belief_ilqg(problem, kQuick);
  const auto world = problem.make_world();
  const auto actor = policy->make_actor();
  int held = 0;
  simulate(*world, *actor, {7, 0, 8}, LatentSource::kPrior,
           [&](const World& w, const Actions& actions) {
             for (int lane = 0; lane < 8; ++lane) {
               EXPECT_LE(std::abs(actions.box[lane][0]), 0.3f);
               held += std::abs(actions.box[lane][0]) == 0.3f;
               if (w.time() + 1 < options.horizon) continue;
               // With nothing to come, the optimum within the limits is the limited optimum.
               const auto b = w.belief()[lane];
               const double best = -(gains.back() * Vector<2>(b[0], b[1])).value();
               EXPECT_NEAR(actions.box[lane][0], std::clamp(best, -0.3, 0.3), 1e-5);
             }
           },
           {});
  EXPECT_GT(held, 0);
}

/// Whatever the belief, straight to where LightDark's goal is observed.
class StraightToTheGoal final : public Policy {
 public:
  std::unique_ptr<Actor> make_actor() const override { return std::make_unique<Walker>(); }

 private:
  struct Walker final : Actor {
    void begin(const PolicyInputs&) override {}
    void act(const PolicyInputs& in, Actions& actions) override {
      for (int lane = 0; lane < in.episodes.count; ++lane) {
        for (int i = 0; i < 2; ++i) {
          actions.box[lane][i] = std::clamp(in.obs[lane][2 + i] - in.belief[lane][i], -0.5f, 0.5f);
        }
      }
    }
  };
};

TEST(BeliefIlqg, WalksToTheLightFirst) {
  const auto problem = test::make_problem("lightdark");
  const auto policy = make_belief_ilqg(*problem, kQuick);
  ThreadPool pool(2);
  // Standard errors are near 30 and 500.
  const double planned = evaluate(*problem, *policy, 3, kLanes, pool).mean();
  EXPECT_GT(planned, -350.0);
  EXPECT_LT(evaluate(*problem, StraightToTheGoal(), 3, kLanes, pool).mean(), 4.0 * planned);

  const auto world = problem->make_world();
  const auto actor = policy->make_actor();
  std::array<float, 16> farthest{};
  simulate(*world, *actor, {3, 0, 16}, LatentSource::kPrior, {},
           [&](const World& w, const Actions& actions) {
             for (int lane = 0; lane < 16; ++lane) {
               farthest[lane] = std::max(farthest[lane], w.latent()[lane][0]);
               for (float a : actions.box[lane]) EXPECT_LE(std::abs(a), 0.5f);
             }
           });
  // All begin at x <= 4 and have their goal at x <= 2.
  EXPECT_GE(std::count_if(farthest.begin(), farthest.end(), [](float x) { return x > 4.4f; }), 12);
}

TEST(BeliefIlqg, SameBitsForAnyThreadsAndLanes) {
  const auto problem = test::make_problem("lightdark", {"problem.horizon=6"});
  const auto policy = make_belief_ilqg(*problem, kQuick);
  ThreadPool one(1), three(3);
  const auto expected = evaluate(*problem, *policy, 5, 150, one).returns;
  EXPECT_EQ(evaluate(*problem, *policy, 5, 150, three).returns, expected);
  const auto few = evaluate(*problem, *policy, 5, 3, one).returns;
  EXPECT_TRUE(std::equal(few.begin(), few.end(), expected.begin()));
}

TEST(BeliefIlqg, SaysWhatItNeeds) {
  ThreadPool pool(1);
  const auto refusal = [&](const AnyProblem& problem) -> std::string {
    Config config;
    try {
      solvers().at("belief-ilqg").resolve("lightdark", config).solver->start(problem, 0, pool);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::kBadInput);
      return e.what();
    }
    return "";
  };
  EXPECT_NE(
      refusal(*test::make_problem("tiger")).find("moves as a vector (lightdark); that of tiger"),
      std::string::npos);
  EXPECT_NE(refusal(*test::make_problem("lightdark", {"problem.horizon=501"})).find("500 steps"),
            std::string::npos);
  EXPECT_EQ(refusal(*test::make_problem("lightdark")), "");
}

}  // namespace
}  // namespace bpo
