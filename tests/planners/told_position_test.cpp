// The bound by information relaxation: walking the plan costs what the relaxed program says, found
// here by plain projected gradients; and no policy is above it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "bpo/core/simulate.h"
#include "bpo/core/solver.h"
#include "tests/support/problems.h"

namespace bpo {
namespace {

std::shared_ptr<const Policy> policy_of(const AnyProblem& problem, const char* planner) {
  Config config;
  ThreadPool pool(1);
  const SolverSetup setup = solvers().at(planner).resolve(problem.spec().name, config);
  return setup.solver->start(problem, 0, pool)->policy();
}

constexpr int kHorizon = 15;
constexpr double kLongest = 0.5, kPenalty = 5000.0;

/// What n strides from d cost along an axis, and the slope of that by each stride.
double cost(double d, const std::vector<double>& a, bool arrives, std::vector<double>& slope) {
  const auto n = static_cast<int>(a.size());
  std::vector<double> at(n + 1, d), weight(n + 1, 0.5);
  for (int k = 1; k <= n; ++k) at[k] = at[k - 1] + a[k - 1];
  weight[n] = (arrives ? 0.0 : 0.5) + kPenalty;
  double out = 0.0, later = 0.0;
  for (int k = n; k >= 1; --k) {
    const double effort = arrives && k == n ? 0.0 : 0.5;
    out += weight[k] * at[k] * at[k] + effort * a[k - 1] * a[k - 1];
    later += 2.0 * weight[k] * at[k];
    slope[k - 1] = later + 2.0 * effort * a[k - 1];
  }
  return out;
}

/// The least of it, by projected gradients with Nesterov's momentum.
double least(double d, int n, bool arrives) {
  std::vector<double> a(n, 0.0), ahead(n, 0.0), slope(n);
  const double length = 1.0 / (2.0 * (kPenalty + kHorizon) * n);
  for (int round = 0; round < 20000; ++round) {
    cost(d, ahead, arrives, slope);
    const double momentum = static_cast<double>(round) / (round + 3.0);
    for (int i = 0; i < n; ++i) {
      const double next = std::clamp(ahead[i] - length * slope[i], -kLongest, kLongest);
      ahead[i] = next + momentum * (next - a[i]);
      a[i] = next;
    }
  }
  return cost(d, a, arrives, slope);
}

TEST(ToldPosition, WalkingThePlanCostsWhatTheRelaxationSays) {
  constexpr std::uint64_t kSeed = 3;
  constexpr int kEpisodes = 12;
  const auto problem = test::make_problem("lightdark");
  ThreadPool pool(1);
  const Evaluation walked =
      evaluate(*problem, *policy_of(*problem, "told-position"), kSeed, kEpisodes, pool);
  const auto simulator = problem->simulator();
  std::vector<float> at(2);
  std::vector<double> o(simulator->observation_size());
  for (std::uint64_t e = 0; e < kEpisodes; ++e) {
    Rng latent(kSeed, Use::kLatent, e), state(kSeed, Use::kState, e);
    simulator->reset(latent, state);
    simulator->latent(at);
    simulator->observe(state, o);
    double relaxed = std::numeric_limits<double>::infinity();
    for (int n = 1; n <= kHorizon + 1; ++n) {
      const int steps = std::min(n, kHorizon);
      const bool arrives = n <= kHorizon;
      double sum = 0.0;
      for (int i = 0; i < 2; ++i) sum += least(at[i] - o[2 + i], steps, arrives);
      relaxed = std::min(relaxed, sum);
    }
    EXPECT_NEAR(-walked.returns[e], relaxed, 1e-3 * (1.0 + relaxed)) << "episode " << e;
  }
}

TEST(ToldPosition, NobodyWhoIsNotToldDoesBetter) {
  ThreadPool pool(2);
  const auto problem = test::make_problem("lightdark", {"problem.filter=moment"});
  const Evaluation told = evaluate(*problem, *policy_of(*problem, "told-position"), 8, 300, pool);
  const Evaluation not_told = evaluate(*problem, *policy_of(*problem, "belief-dp"), 8, 300, pool);
  int better = 0;
  for (std::size_t i = 0; i < told.returns.size(); ++i) {
    better += not_told.returns[i] > told.returns[i] + 1e-6;
  }
  EXPECT_EQ(better, 0);
}

TEST(ToldPosition, RefusesWhatHasNoRoomOrTooManySteps) {
  EXPECT_THROW(policy_of(*test::make_problem("chain"), "told-position"), Error);
  const auto endless = test::make_problem("lightdark", {"problem.horizon=101"});
  EXPECT_THROW(policy_of(*endless, "told-position"), Error);
}

}  // namespace
}  // namespace bpo
