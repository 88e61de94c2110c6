// The exact planner against the settled optima, expectimax over raw histories, and simulation.
#include "bpo/planners/exact.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "bpo/core/simulate.h"
#include "bpo/nn/network_policy.h"
#include "tests/support/networks.h"
#include "tests/support/problems.h"

namespace bpo {
namespace {

using test::make_problem;

class Exact : public testing::Test {
 protected:
  ThreadPool pool_{2};
  ExactOptimum optimum(const std::string& name, std::initializer_list<const char*> options = {}) {
    return exact_optimum(*make_problem(name, options)->information(), pool_);
  }
};

TEST_F(Exact, Tiger) {
  EXPECT_NEAR(optimum("tiger").optimum, 19.2474, 1e-3);
  EXPECT_NEAR(optimum("tiger").bayes_policy, 19.2474, 1e-3);
  EXPECT_NEAR(optimum("tiger", {"problem.horizon=1000"}).optimum, 19.3714, 1e-3);
}

TEST_F(Exact, ChainTied) {
  EXPECT_NEAR(optimum("chain").optimum, 363.7672, 1e-3);
  EXPECT_NEAR(optimum("chain").bayes_policy, 363.7672, 1e-3);
}

TEST_F(Exact, ChainSemiTied) {
  EXPECT_NEAR(optimum("chain", {"problem.tying=semi"}).optimum, 341.0950, 1e-3);
}

TEST_F(Exact, ChainWithAKnownSlip) {
  const ExactOptimum hundred = optimum("chain", {"problem.slip=0.2"});
  EXPECT_NEAR(hundred.optimum, 356.7124, 1e-3);
  // Where the posterior mean is 1/2 the actions tie; all ties to A give this, all to B 352.0240.
  EXPECT_NEAR(hundred.bayes_policy, 355.4800, 1e-3);
  const ExactOptimum thousand = optimum("chain", {"problem.slip=0.2", "problem.horizon=1000"});
  EXPECT_NEAR(thousand.optimum, 3665.8324, 1e-3);
  EXPECT_NEAR(thousand.bayes_policy, 3664.6000, 1e-3);
}

/// Tiger: `left` and `right` are the joint probabilities of the history and the tiger's door.
double tiger_value(int steps, double left, double right, double c) {
  if (steps == 0) return 0.0;
  const double gamma = 0.95, total = left + right;
  const double listen = -total + gamma * (tiger_value(steps - 1, left * c, right * (1 - c), c) +
                                          tiger_value(steps - 1, left * (1 - c), right * c, c));
  const double after = gamma * tiger_value(steps - 1, total / 2, total / 2, c);
  return std::max(
      {listen, -100.0 * left + 10.0 * right + after, -100.0 * right + 10.0 * left + after});
}

TEST_F(Exact, TigerIsExpectimaxOverHistories) {
  for (int horizon = 1; horizon <= 5; ++horizon) {
    const std::string h = "problem.horizon=" + std::to_string(horizon);
    EXPECT_NEAR(optimum("tiger", {h.c_str()}).optimum, tiger_value(horizon, 0.5, 0.5, 0.85), 1e-9);
    EXPECT_NEAR(optimum("tiger", {h.c_str(), "problem.accuracy=0.95"}).optimum,
                tiger_value(horizon, 0.5, 0.5, 0.95), 1e-9);
  }
}

using Counts = std::array<int, 4>;  // kept and slipped of each factor

/// The probability of a history: the product over factors of
/// integral (1-x)^kept x^slipped dx = kept! slipped! / (kept + slipped + 1)!
double evidence(const Counts& n) {
  double p = 1.0;
  for (int f = 0; f < 2; ++f) {
    p *= std::tgamma(n[2 * f] + 1.0) * std::tgamma(n[2 * f + 1] + 1.0) /
         std::tgamma(n[2 * f] + n[2 * f + 1] + 2.0);
  }
  return p;
}

/// Joint with the history's probability, so no posterior is ever formed.
double chain_value(int steps, int s, const Counts& n, bool semi) {
  if (steps == 0) return 0.0;
  double best = -1.0;
  for (int a = 0; a < 2; ++a) {
    double value = 0.0;
    for (int slipped = 0; slipped < 2; ++slipped) {
      const int executed = slipped ? 1 - a : a;
      Counts next = n;
      ++next[(semi ? 2 * a : 0) + slipped];
      const double reward = executed == 1 ? 2.0 : (s == 4 ? 10.0 : 0.0);
      value += evidence(next) * reward +
               chain_value(steps - 1, executed == 1 ? 0 : std::min(s + 1, 4), next, semi);
    }
    best = std::max(best, value);
  }
  return best;
}

TEST_F(Exact, ChainIsExpectimaxOverHistories) {
  for (int horizon = 1; horizon <= 7; ++horizon) {
    const std::string h = "problem.horizon=" + std::to_string(horizon);
    EXPECT_NEAR(optimum("chain", {h.c_str()}).optimum, chain_value(horizon, 0, {}, false), 1e-9);
    EXPECT_NEAR(optimum("chain", {h.c_str(), "problem.tying=semi"}).optimum,
                chain_value(horizon, 0, {}, true), 1e-9);
  }
}

TEST_F(Exact, AlwaysListening) {
  const auto tiger = make_problem("tiger");
  const ExactValue value = exact_value(*tiger->information(), test::ConstantPolicy(0, 3), pool_);
  EXPECT_NEAR(value.value, -(1.0 - std::pow(0.95, 100)) / 0.05, 1e-9);
}

TEST_F(Exact, AlwaysA) {
  const auto chain = make_problem("chain");
  const ExactValue value = exact_value(*chain->information(), test::ConstantPolicy(0, 2), pool_);
  // B is executed half the time, and A in s5 after four in a row: 100 + 96 * 10 * int (1-x)^5 dx.
  EXPECT_NEAR(value.value, 260.0, 1e-6);
}

TEST_F(Exact, AnyPolicysValueIsItsMeanReturn) {
  // Within 4.9 standard errors: false alarm 1e-6 each.
  struct Run {
    const char* problem;
    std::vector<const char*> options;
    Sees sees;
    bool greedy;
  };
  const std::vector<Run> runs = {
      {"tiger", {}, Sees::kBelief, false},
      {"tiger", {}, Sees::kEstimate, false},
      {"chain", {}, Sees::kBelief, false},
      {"chain", {}, Sees::kBelief, true},
      {"chain", {"problem.tying=semi", "problem.bins=5"}, Sees::kBelief, false},
      {"chain", {"problem.slip=0.3"}, Sees::kEstimate, false},
      {"chain", {"problem.grid=endpoints"}, Sees::kNothing, false},
  };
  for (const Run& run : runs) {
    Config config;
    for (const char* option : run.options) config.set(option);
    config.set("problem.horizon=20");
    const auto problem = problems().at(run.problem).make(config);
    const auto network = std::make_shared<const Network>(
        network_spec(problem->spec(), run.sees, run.sees == Sees::kBelief, 16));
    auto theta = test::random_theta(*network, 7);
    for (float& x : theta) x *= 2.0f;  // far from uniform
    const NetworkPolicy policy(network, theta, run.sees, run.greedy);
    const Evaluation sampled = evaluate(*problem, policy, 5, 20'000, pool_);
    const ExactValue exact = exact_value(*problem->information(), policy, pool_);
    EXPECT_NEAR(sampled.mean(), exact.value, 4.9 * sampled.ci95().value() / 1.96)
        << run.problem << " " << (run.options.empty() ? "" : run.options[0]);
    EXPECT_LE(exact.value, exact_optimum(*problem->information(), pool_).optimum + 1e-9);
    EXPECT_GT(exact.states, 20u);
  }
}

TEST_F(Exact, SameBitsForAnyNumberOfThreads) {
  const auto chain = make_problem("chain", {"problem.tying=semi", "problem.horizon=25"});
  const auto network =
      std::make_shared<const Network>(network_spec(chain->spec(), Sees::kBelief, true, 16));
  const NetworkPolicy policy(network, test::random_theta(*network, 7), Sees::kBelief);
  ThreadPool one(1), three(3);
  EXPECT_EQ(exact_value(*chain->information(), policy, one).value,
            exact_value(*chain->information(), policy, three).value);
  EXPECT_EQ(exact_optimum(*chain->information(), one).optimum,
            exact_optimum(*chain->information(), three).optimum);
}

TEST_F(Exact, RefusesWhatIsTooLarge) {
  const auto refused = [&](const std::string& name, std::initializer_list<const char*> options) {
    try {
      optimum(name, options);
      return false;
    } catch (const Error& e) {
      return e.code() == ErrorCode::kBadInput;
    }
  };
  EXPECT_TRUE(refused("tiger", {"problem.horizon=100000"}));
  EXPECT_TRUE(refused("chain", {"problem.horizon=100000"}));
  EXPECT_TRUE(refused("chain", {"problem.tying=semi", "problem.horizon=1000"}));
}

TEST_F(Exact, ThePolicyThatSeesTheLatentIsRefused) {
  const auto chain = make_problem("chain");
  const auto network =
      std::make_shared<const Network>(network_spec(chain->spec(), Sees::kLatent, true, 8));
  const NetworkPolicy oracle(network, network->initialize(1), Sees::kLatent);
  EXPECT_THROW(exact_value(*chain->information(), oracle, pool_), Error);
}

}  // namespace
}  // namespace bpo
