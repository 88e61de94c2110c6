#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "bpo/optimizers/adam.h"
#include "bpo/optimizers/optimizer.h"
#include "tests/support/bandit.h"

namespace bpo {
namespace {

using test::NaiveObjective;
using test::to_double;

class Ppo : public test::Bandit {
 protected:
  OptimizerOptions options_{.kind = "ppo",
                            .kl = 0.05,
                            .kl_end = 0.05,
                            .clip = 0.2,
                            .learning_rate = 3e-3,
                            .epochs = 4,
                            .minibatches = 3};
};

TEST_P(Ppo, Improves) {
  const RatedBatch s = rated(bandit());
  const NaiveObjective naive(network_, batch_, bandit(), {}, start_);
  std::vector<float> theta = start_;
  const UpdateStats stats = make_optimizer(model_, options_, pool_)->update(theta, s, {1, 0});
  EXPECT_TRUE(stats.accepted);
  EXPECT_GT(naive.surrogate(to_double(theta)), naive.surrogate(to_double(start_)) + 0.02);
  EXPECT_NEAR(stats.surrogate, naive.surrogate(to_double(theta)), 1e-4);
  EXPECT_NEAR(stats.kl, naive.kl(to_double(theta)), 1e-5);
}

TEST_P(Ppo, StopsEarlyAtTheKl) {
  const RatedBatch s = rated(bandit());
  options_.epochs = 200;
  options_.clip = 10.0;
  std::vector<float> theta = start_;
  const UpdateStats stats = make_ppo(model_, options_, pool_)->update(theta, s, {1, 0});
  EXPECT_GT(stats.kl, 1.5 * options_.kl);
  EXPECT_LT(stats.kl, 6.0 * options_.kl);  // the epoch that passed it was the last
}

TEST_P(Ppo, ANanLeavesThetaAndAdamAlone) {
  auto advantages = bandit();
  advantages[5] = std::numeric_limits<double>::quiet_NaN();
  const RatedBatch bad = rated(advantages), good = rated(bandit());
  const auto optimizer = make_ppo(model_, options_, pool_);
  std::vector<float> theta = start_;
  EXPECT_TRUE(optimizer->update(theta, good, {1, 0}).accepted);
  SavedNumbers before, after;
  optimizer->save(before);
  const std::vector<float> here = theta;
  EXPECT_FALSE(optimizer->update(theta, bad, {1, 1}).accepted);
  EXPECT_EQ(theta, here);
  optimizer->save(after);
  EXPECT_EQ(before, after);
}

TEST_P(Ppo, SameSeedSameResultForAnyNumberOfThreads) {
  const RatedBatch s = rated(bandit());
  std::vector<float> first;
  for (int threads : {1, 2, 3}) {
    ThreadPool pool(threads);
    std::vector<float> theta = start_;
    make_ppo(model_, options_, pool)->update(theta, s, {1, 0});
    if (first.empty()) first = theta;
    EXPECT_EQ(theta, first) << threads;
  }
  std::vector<float> other = start_;
  make_ppo(model_, options_, pool_)->update(other, s, {2, 0});
  EXPECT_NE(other, first);
}

TEST_P(Ppo, SaveAndLoadGoOnToTheSameBits) {
  const RatedBatch s = rated(bandit());
  const auto a = make_ppo(model_, options_, pool_), b = make_ppo(model_, options_, pool_);
  const auto c = make_ppo(model_, options_, pool_);
  std::vector<float> theta = start_;
  a->update(theta, s, {1, 0});
  SavedNumbers state;
  a->save(state);
  b->load(state);
  std::vector<float> resumed = theta, forgotten = theta;
  a->update(theta, s, {1, 1});
  b->update(resumed, s, {1, 1});
  c->update(forgotten, s, {1, 1});
  EXPECT_EQ(theta, resumed);
  EXPECT_NE(theta, forgotten);
}

INSTANTIATE_TEST_SUITE_P(Heads, Ppo, testing::Bool(),
                         [](const auto& c) { return c.param ? "Gaussian" : "Categorical"; });

TEST(Adam, IsTheFormulaOfThePaper) {
  const double rate = 0.01;
  Adam adam(2, rate);
  std::vector<float> theta = {1.0f, -2.0f};
  double m[2] = {}, v[2] = {};
  std::vector<double> plain = {1.0, -2.0};
  for (int t = 1; t <= 20; ++t) {
    const std::vector<double> g = {std::sin(t), 3.0};
    ASSERT_TRUE(adam.step(g, theta));
    for (int i = 0; i < 2; ++i) {
      m[i] = 0.9 * m[i] + 0.1 * g[i];
      v[i] = 0.999 * v[i] + 0.001 * g[i] * g[i];
      plain[i] += rate * (m[i] / (1 - std::pow(0.9, t))) /
                  (std::sqrt(v[i] / (1 - std::pow(0.999, t))) + 1e-8);
      ASSERT_NEAR(theta[i], plain[i], 1e-5);
    }
  }
  const auto before = theta;
  EXPECT_FALSE(adam.step({1.0, std::numeric_limits<double>::infinity()}, theta));
  EXPECT_EQ(theta, before);
}

}  // namespace
}  // namespace bpo
