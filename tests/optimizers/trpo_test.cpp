#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "bpo/optimizers/objective.h"
#include "bpo/optimizers/optimizer.h"
#include "tests/support/bandit.h"

namespace bpo {
namespace {

using test::NaiveObjective;
using test::to_double;

class Trpo : public test::Bandit {
 protected:
  OptimizerOptions options_{.kl = 0.01, .kl_end = 0.01};
};

TEST_P(Trpo, ImprovesWithinTheTrustRegion) {
  const RatedBatch s = rated(bandit());
  const NaiveObjective naive(network_, batch_, bandit(), {}, start_);
  std::vector<float> theta = start_;
  const UpdateStats stats = make_trpo(model_, options_, pool_)->update(theta, s, {});
  EXPECT_TRUE(stats.accepted);
  EXPECT_LE(stats.kl, options_.kl);
  EXPECT_GT(stats.kl, 0.3 * options_.kl);  // it uses the region
  EXPECT_NEAR(stats.kl, naive.kl(to_double(theta)), 1e-5);
  EXPECT_NEAR(stats.surrogate, naive.surrogate(to_double(theta)), 1e-4);
  EXPECT_NEAR(stats.entropy, naive.entropy(to_double(theta)), 1e-4);
  EXPECT_GT(stats.surrogate, naive.surrogate(to_double(start_)) + 0.05);
}

TEST_P(Trpo, BeatsTheGradientStepOfTheSameKl) {
  // The natural gradient is the best direction per KL: a plain gradient step must gain less.
  const RatedBatch s = rated(bandit());
  std::vector<float> theta = start_;
  const UpdateStats stats = make_trpo(model_, options_, pool_)->update(theta, s, {});
  NetworkObjective objective(network_, pool_);
  const double before = objective.bind(s, start_).surrogate;
  std::vector<double> gradient(start_.size());
  objective.gradient(0.0, gradient);
  double best = before, scale = 1.0;
  for (int k = 0; k < 60; ++k, scale *= 0.8) {
    std::vector<float> candidate = start_;
    for (std::size_t i = 0; i < candidate.size(); ++i) {
      candidate[i] += static_cast<float>(scale * gradient[i]);
    }
    const auto value = objective.evaluate(candidate);
    if (value.kl <= stats.kl) best = std::max(best, value.surrogate);
  }
  EXPECT_GT(stats.surrogate, best);
}

TEST_P(Trpo, ANanAdvantageLeavesThetaAlone) {
  auto advantages = bandit();
  advantages[5] = std::numeric_limits<double>::quiet_NaN();
  const RatedBatch bad = rated(advantages), good = rated(bandit());
  std::vector<float> theta = start_;
  const auto optimizer = make_trpo(model_, options_, pool_);
  EXPECT_FALSE(optimizer->update(theta, bad, {}).accepted);
  EXPECT_EQ(theta, start_);
  EXPECT_TRUE(optimizer->update(theta, good, {}).accepted);  // and it goes on
}

TEST_P(Trpo, AnInfiniteAdvantageLeavesThetaAlone) {
  auto advantages = bandit();
  advantages[5] = std::numeric_limits<double>::infinity();
  const RatedBatch bad = rated(advantages);
  std::vector<float> theta = start_;
  EXPECT_FALSE(make_trpo(model_, options_, pool_)->update(theta, bad, {}).accepted);
  EXPECT_EQ(theta, start_);
}

TEST_P(Trpo, NothingToGainIsRejected) {
  const RatedBatch s = rated(std::vector<double>(batch_.steps(), 0.0));
  std::vector<float> theta = start_;
  const UpdateStats stats = make_trpo(model_, options_, pool_)->update(theta, s, {});
  EXPECT_FALSE(stats.accepted);
  EXPECT_EQ(stats.kl, 0.0);
  EXPECT_EQ(theta, start_);
}

TEST_P(Trpo, SmallerRegionsGiveSmallerSteps) {
  const RatedBatch s = rated(bandit());
  double previous = 1.0;
  for (double kl : {0.1, 0.01, 0.001}) {
    options_.kl = options_.kl_end = kl;
    std::vector<float> theta = start_;
    const UpdateStats stats = make_trpo(model_, options_, pool_)->update(theta, s, {});
    EXPECT_TRUE(stats.accepted);
    EXPECT_LE(stats.kl, kl);
    EXPECT_LT(stats.kl, previous);
    previous = stats.kl;
  }
}

TEST_P(Trpo, ASubsampleOfTheFisherMatrixStillImproves) {
  options_.cg_subsample = 0.5;
  options_.damping = 1e-2;
  const RatedBatch s = rated(bandit());
  std::vector<float> theta = start_, again = start_;
  EXPECT_TRUE(make_trpo(model_, options_, pool_)->update(theta, s, {7, 3}).accepted);
  make_trpo(model_, options_, pool_)->update(again, s, {7, 3});
  EXPECT_EQ(theta, again);
  again = start_;
  make_trpo(model_, options_, pool_)->update(again, s, {7, 4});
  EXPECT_NE(theta, again);
}

TEST_P(Trpo, SameBitsForAnyNumberOfThreads) {
  batch_ = test::random_batch(spec_, 600, 3, 40, 60);
  const RatedBatch s = rated(bandit());
  std::vector<float> first;
  for (int threads : {1, 2, 3}) {
    ThreadPool pool(threads);
    std::vector<float> theta = start_;
    make_trpo(model_, options_, pool)->update(theta, s, {});
    if (first.empty()) first = theta;
    EXPECT_EQ(theta, first) << threads;
  }
}

INSTANTIATE_TEST_SUITE_P(Heads, Trpo, testing::Bool(),
                         [](const auto& c) { return c.param ? "Gaussian" : "Categorical"; });

TEST(OptimizerOptions, TheTrustRegionMovesGeometrically) {
  const OptimizerOptions options{.kl = 0.04, .kl_end = 0.01};
  EXPECT_NEAR(options.kl_at(0.0), 0.04, 1e-12);
  EXPECT_NEAR(options.kl_at(0.5), 0.02, 1e-12);
  EXPECT_NEAR(options.kl_at(1.0), 0.01, 1e-12);
}

}  // namespace
}  // namespace bpo
