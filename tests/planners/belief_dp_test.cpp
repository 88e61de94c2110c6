// Dynamic programming over LightDark's beliefs: it goes to the light, is as good as was recorded,
// and refuses what it cannot plan.
#include <gtest/gtest.h>

#include "bpo/core/simulate.h"
#include "bpo/core/solver.h"
#include "tests/support/problems.h"
#include "tests/support/room_rules.h"

namespace bpo {
namespace {

std::shared_ptr<const Policy> planned(const AnyProblem& problem, const char* name) {
  Config config;
  ThreadPool pool(1);
  const SolverSetup setup = solvers().at("belief-dp").resolve(name, config);
  return setup.solver->start(problem, 0, pool)->policy();
}

// On 20,000 other episodes it has -111.7 +- 2.8.
TEST(BeliefDp, PlansBetterInLightDarkThanARule) {
  constexpr int kEpisodes = 3000;
  const auto problem = test::make_problem("lightdark", {"problem.filter=moment"});
  ThreadPool pool(2);
  const Evaluation found = evaluate(*problem, *planned(*problem, "lightdark"), 8, kEpisodes, pool);
  Evaluation gap = evaluate(*problem, test::walking(test::by_way_of_the_light), 8, kEpisodes, pool);
  for (int i = 0; i < kEpisodes; ++i) gap.returns[i] = found.returns[i] - gap.returns[i];
  EXPECT_NEAR(found.mean(), -111.7, 8.0);
  EXPECT_GT(gap.mean() - *gap.ci95(), 15.0);
}

TEST(BeliefDp, RefusesWhatHasNoRoomOrTooManySteps) {
  const auto chain = test::make_problem("chain");
  EXPECT_THROW(planned(*chain, "chain"), Error);
  const auto endless = test::make_problem("lightdark", {"problem.horizon=201"});
  EXPECT_THROW(planned(*endless, "lightdark"), Error);
}

}  // namespace
}  // namespace bpo
