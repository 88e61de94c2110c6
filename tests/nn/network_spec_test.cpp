// What a problem's numbers become before a network sees them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "bpo/nn/network_policy.h"
#include "tests/support/networks.h"
#include "tests/support/problems.h"

namespace bpo {
namespace {

using test::make_problem;
using test::random_theta;

TEST(NetworkSpec, TakesTheLogarithmOfAVariance) {
  const auto problem = make_problem("lightdark");
  const ProblemSpec& spec = problem->spec();
  EXPECT_EQ(network_spec(spec, Sees::kBelief, true, 16).log_at, spec.obs_dim + 2);
  EXPECT_EQ(network_spec(spec, Sees::kBelief, true, 16, /*scale_belief=*/false).log_at, -1);
  EXPECT_EQ(network_spec(spec, Sees::kEstimate, true, 16).log_at, -1) << "it sees no variance";
  EXPECT_EQ(network_spec(make_problem("chain")->spec(), Sees::kBelief, true, 16).log_at, -1);
}

TEST(NetworkActor, SeesAPositionRelativeToTheGoalAndTheLogarithmOfItsVariance) {
  const auto problem = make_problem("lightdark");
  const Network network(network_spec(problem->spec(), Sees::kBelief, true, 16));
  const auto theta = random_theta(network, 1);
  NetworkActor actor(network, theta, Sees::kBelief, false);
  std::vector<float> o(problem->spec().obs_dim, 0.5f);
  o[2] = 1.25f, o[3] = -2.0f;  // the goal
  const std::vector<float> b{4.0f, 3.0f, 0.25f};
  const int column = actor.see(o, b.data());
  const float* seen = actor.inputs().beliefs[actor.inputs().belief_of[column]];
  EXPECT_TRUE(std::equal(o.begin(), o.end(), seen)) << "the observation stays as it is";
  EXPECT_EQ(seen[o.size()], 2.75f);
  EXPECT_EQ(seen[o.size() + 1], 5.0f);
  EXPECT_EQ(seen[o.size() + 2], std::log(0.25f));
}

TEST(NetworkSpec, TellsEstimatesAndLatentsRelativeToTheGoalToo) {
  const auto problem = make_problem("lightdark");
  const ProblemSpec& spec = problem->spec();
  for (const Sees sees : {Sees::kBelief, Sees::kEstimate, Sees::kLatent}) {
    EXPECT_EQ(network_spec(spec, sees, true, 16).led, 2);
    EXPECT_EQ(network_spec(spec, sees, true, 16, /*scale_belief=*/false).led, 0);
  }
  EXPECT_EQ(network_spec(spec, Sees::kNothing, true, 16).led, 0);
  EXPECT_EQ(network_spec(make_problem("chain")->spec(), Sees::kBelief, true, 16).led, 0);
}

}  // namespace
}  // namespace bpo
