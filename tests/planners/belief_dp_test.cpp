// Dynamic programming over LightDark's beliefs: it goes to the light, is as good as was recorded,
// and refuses what it cannot plan.
#include <gtest/gtest.h>

#include "bpo/core/simulate.h"
#include "bpo/core/solver.h"
#include "tests/support/problems.h"

namespace bpo {
namespace {

std::shared_ptr<const Policy> planned(const AnyProblem& problem, const char* name) {
  Config config;
  ThreadPool pool(1);
  const SolverSetup setup = solvers().at("belief-dp").resolve(name, config);
  return setup.solver->start(problem, 0, pool)->policy();
}

// -112.3 +- 5.6 was measured on 3000 other episodes; a go-to-the-light rule is near -140.
TEST(BeliefDp, PlansWellInLightDark) {
  const auto problem = test::make_problem("lightdark", {"problem.filter=moment"});
  ThreadPool pool(2);
  const Evaluation found = evaluate(*problem, *planned(*problem, "lightdark"), 8, 1000, pool);
  EXPECT_GT(found.mean(), -145.0);
  EXPECT_LT(found.mean(), -85.0);
}

TEST(BeliefDp, RefusesWhatHasNoRoomOrTooManySteps) {
  const auto chain = test::make_problem("chain");
  EXPECT_THROW(planned(*chain, "chain"), Error);
  const auto endless = test::make_problem("lightdark", {"problem.horizon=201"});
  EXPECT_THROW(planned(*endless, "lightdark"), Error);
}

}  // namespace
}  // namespace bpo
