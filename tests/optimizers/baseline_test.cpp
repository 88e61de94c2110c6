// The linear baseline against dense least squares on the expanded design matrix; the network
// baseline on a target it can learn.
#include <gtest/gtest.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "bpo/optimizers/advantages.h"
#include "bpo/optimizers/network_baseline.h"
#include "tests/support/batches.h"

namespace bpo {
namespace {

using test::random_batch;

const NetworkSpec kValueSpec{.state_dim = 3, .belief_dim = 4, .outputs = 2, .hidden = 16};

std::vector<double> predict(Baseline& baseline, const Batch& batch) {
  baseline.bind(batch);
  return baseline.predict();
}

void fit(Baseline& baseline, const Batch& batch, const std::vector<double>& targets) {
  baseline.bind(batch);
  baseline.fit(targets);
}

template <class Visit>
void each_step(const Batch& batch, Visit visit) {
  for (int e = 0; e < batch.episodes(); ++e) {
    for (int i = batch.start[e]; i < batch.start[e + 1]; ++i) {
      const int c = batch.column[i];
      visit(i, i - batch.start[e], batch.inputs.states[batch.inputs.state_of[c]],
            batch.inputs.beliefs[batch.inputs.belief_of[c]]);
    }
  }
}

Eigen::MatrixXd design(const Batch& batch) {
  Eigen::MatrixXd x(batch.steps(), 2 * 7 + 4);
  each_step(batch, [&](int i, int t, const float* o, const float* b) {
    for (int k = 0; k < 7; ++k) {
      const double v = std::clamp(double{k < 3 ? o[k] : b[k - 3]}, -10.0, 10.0);
      x(i, k) = v;
      x(i, 7 + k) = v * v;
    }
    for (int k = 0; k < 3; ++k) x(i, 14 + k) = std::pow(t / 100.0, k + 1);
    x(i, 17) = 1.0;
  });
  return x;
}

std::vector<double> synthetic(const Batch& batch) {
  std::vector<double> y(batch.steps());
  each_step(batch, [&](int i, int t, const float* o, const float* b) {
    y[i] = 30.0 + 10.0 * std::sin(o[0]) * b[1] + 5.0 * b[0] - 2.0 * t;
  });
  return y;
}

TEST(LinearBaseline, IsRidgeRegressionOnTheExpandedMatrix) {
  Batch batch = random_batch(kValueSpec, 80, 1, 12, 25);
  const auto y = synthetic(batch);
  const auto baseline = make_linear_baseline(7);
  EXPECT_EQ(predict(*baseline, batch), std::vector<double>(batch.steps(), 0.0));
  fit(*baseline, batch, y);

  // Least squares with sqrt(ridge) I below the matrix, by QR.
  const Eigen::MatrixXd x = design(batch);
  const Eigen::Index n = x.cols();
  Eigen::MatrixXd tall(x.rows() + n, n);
  tall << x, std::sqrt(1e-5) * Eigen::MatrixXd::Identity(n, n);
  Eigen::VectorXd right = Eigen::VectorXd::Zero(tall.rows());
  right.head(x.rows()) = Eigen::Map<const Eigen::VectorXd>(y.data(), x.rows());
  const Eigen::VectorXd w = tall.colPivHouseholderQr().solve(right);
  const auto check = [&](const Batch& on) {
    const Eigen::VectorXd expected = design(on) * w;
    const auto got = predict(*baseline, on);
    for (int i = 0; i < on.steps(); ++i) ASSERT_NEAR(got[i], expected[i], 1e-6) << i;
  };
  check(batch);
  check(random_batch(kValueSpec, 10, 99, 5, 5));  // and on inputs it was not fitted to
  EXPECT_GT(explained_variance(predict(*baseline, batch), y), 0.5);
}

TEST(LinearBaseline, ClipsItsInputs) {
  Batch batch(1, 0);
  const std::vector<float> x = {-1000.0f, -1.0f, 0.5f, 1.0f, 50.0f, 1000.0f};
  for (float v : x) batch.column.push_back(batch.inputs.add(&v, nullptr));
  batch.start.push_back(batch.steps());
  const auto baseline = make_linear_baseline(1);
  fit(*baseline, batch, {1, 2, 3, 4, 5, 6});
  const auto p = predict(*baseline, batch);
  // 50 and 1000 look the same but for the time, whose weights are tiny at ridge 1e-5.
  EXPECT_NEAR(p[4], 5.5, 0.6);
  EXPECT_NEAR(p[5], 5.5, 0.6);
}

class AnyBaseline : public testing::TestWithParam<bool> {
 protected:
  ThreadPool pool_{2};
  std::unique_ptr<Baseline> make() {
    return GetParam() ? make_network_baseline(kValueSpec, {.horizon = 12, .seed = 3}, pool_)
                      : make_linear_baseline(7);
  }
};

TEST_P(AnyBaseline, SaveAndLoadGiveIdenticalPredictions) {
  const Batch batch = random_batch(kValueSpec, 60, 2), other = random_batch(kValueSpec, 20, 3);
  const auto y = synthetic(batch);
  const auto a = make(), b = make();
  for (int k = 0; k < 3; ++k) fit(*a, batch, y);
  SavedNumbers state;
  a->save(state);
  b->load(state);
  EXPECT_EQ(predict(*a, other), predict(*b, other));
  fit(*a, other, synthetic(other));
  fit(*b, other, synthetic(other));
  EXPECT_EQ(predict(*a, batch), predict(*b, batch));
}

TEST_P(AnyBaseline, BeforeTheFirstFitItSavesLoadsAndPredictsZero) {
  const Batch batch = random_batch(kValueSpec, 5, 2);
  const auto a = make(), b = make();
  SavedNumbers state;
  a->save(state);
  b->load(state);
  EXPECT_EQ(predict(*b, batch), std::vector<double>(batch.steps(), 0.0));
}

TEST_P(AnyBaseline, RecoversFromATargetThatIsNotANumber) {
  const Batch batch = random_batch(kValueSpec, 60, 2);
  const auto y = synthetic(batch);
  auto bad = y;
  bad[3] = std::numeric_limits<double>::quiet_NaN();
  const auto baseline = make();
  fit(*baseline, batch, y);
  fit(*baseline, batch, bad);
  for (int k = 0; k < 5; ++k) fit(*baseline, batch, y);
  for (double v : predict(*baseline, batch)) ASSERT_TRUE(std::isfinite(v));
  EXPECT_GT(explained_variance(predict(*baseline, batch), y), 0.3);
}

INSTANTIATE_TEST_SUITE_P(Kinds, AnyBaseline, testing::Bool(),
                         [](const auto& c) { return c.param ? "Network" : "Linear"; });

TEST(NetworkBaseline, LearnsWhatALineCannot) {
  ThreadPool pool(1);
  const auto baseline = make_network_baseline(kValueSpec, {.horizon = 12, .seed = 3}, pool);
  const Batch batch = random_batch(kValueSpec, 150, 5, 10, 20);
  const auto y = synthetic(batch);
  double previous = -1.0;
  for (int k = 0; k < 4; ++k) {
    for (int i = 0; i < 10; ++i) fit(*baseline, batch, y);
    const double now = explained_variance(predict(*baseline, batch), y);
    EXPECT_GT(now, previous - 0.02);
    previous = now;
  }
  EXPECT_GT(previous, 0.97);
  const auto linear = make_linear_baseline(7);
  fit(*linear, batch, y);
  EXPECT_GT(previous, explained_variance(predict(*linear, batch), y));
}

TEST(NetworkBaseline, LearnsMoreOfABatchInMoreSteps) {
  ThreadPool pool(1);
  const Batch batch = random_batch(kValueSpec, 300, 4, 40, 60);
  const auto y = synthetic(batch);
  const auto explained = [&](int steps) {
    const auto baseline =
        make_network_baseline(kValueSpec, {.horizon = 12, .seed = 1, .steps = steps}, pool);
    for (int i = 0; i < 3; ++i) fit(*baseline, batch, y);
    return explained_variance(predict(*baseline, batch), y);
  };
  EXPECT_GT(explained(8), explained(1) + 0.05);
}

TEST(NetworkBaseline, FollowsReturnsOfAnotherScale) {
  ThreadPool pool(1);
  const auto baseline = make_network_baseline(kValueSpec, {.horizon = 12, .seed = 3}, pool);
  const Batch batch = random_batch(kValueSpec, 150, 5, 10, 20);
  const auto y = synthetic(batch);
  for (int i = 0; i < 40; ++i) fit(*baseline, batch, y);
  auto large = y;
  for (double& v : large) v = 1000.0 * v - 5e4;
  for (int i = 0; i < 40; ++i) fit(*baseline, batch, large);
  EXPECT_GT(explained_variance(predict(*baseline, batch), large), 0.97);
  // Back down again: the trust region lets a fit move by a fraction of the new deviation.
  for (double& v : large) v /= 10.0;
  for (int i = 0; i < 120; ++i) fit(*baseline, batch, large);
  EXPECT_GT(explained_variance(predict(*baseline, batch), large), 0.9);
}

/// With a latent of two numbers by episode.
Batch with_latents(Batch batch, std::uint64_t seed) {
  Rng rng(seed, Use::kLatent, 0);
  for (int e = 0; e < batch.episodes(); ++e) {
    const auto a = static_cast<float>(rng.normal()), b = static_cast<float>(rng.normal());
    for (int i = batch.start[e]; i < batch.start[e + 1]; ++i) {
      batch.latent.insert(batch.latent.end(), {a, b});
    }
  }
  return batch;
}

TEST(NetworkBaseline, ExplainsWhatOnlyTheLatentTells) {
  const Batch batch = with_latents(random_batch(kValueSpec, 300, 5, 10, 20), 1);
  const Batch fresh = with_latents(random_batch(kValueSpec, 300, 5, 10, 20), 2);
  const auto returns = [](const Batch& on) {
    std::vector<double> y;
    for (int i = 0; i < on.steps(); ++i) {
      y.push_back(20.0 * on.latent[2 * i] + 8.0 * std::abs(on.latent[2 * i + 1]));
    }
    return y;
  };
  ThreadPool pool(1);
  const auto explained = [&](int latent_dim) {
    const auto baseline = make_network_baseline(
        kValueSpec, {.horizon = 12, .seed = 3, .latent_dim = latent_dim}, pool);
    for (int k = 0; k < 40; ++k) fit(*baseline, batch, returns(batch));
    return explained_variance(predict(*baseline, fresh), returns(fresh));
  };
  EXPECT_GT(explained(2), 0.95);
  EXPECT_LT(explained(0), 0.1);
}

/// The same batch with states of another scale, around a mean.
Batch rescaled(const Batch& batch, float scale, float mean) {
  Batch out = batch;
  out.inputs.clear();
  for (int c = 0; c < batch.inputs.size(); ++c) {
    const float* from = batch.inputs.states[batch.inputs.state_of[c]];
    std::vector<float> o(from, from + kValueSpec.state_dim);
    for (float& x : o) x = mean + scale * x;
    EXPECT_EQ(out.inputs.add(o.data(), batch.inputs.beliefs[batch.inputs.belief_of[c]]), c);
  }
  return out;
}

class WhitenedBaseline : public testing::Test {
 protected:
  std::unique_ptr<Baseline> make(bool whiten = true, std::uint64_t seed = 3) {
    return make_network_baseline(kValueSpec, {.horizon = 12, .seed = seed, .whiten = whiten},
                                 pool_);
  }
  static SavedNumbers saved(const Baseline& baseline) {
    SavedNumbers state;
    baseline.save(state);
    return state;
  }
  ThreadPool pool_{1};
  const Batch nice_ = random_batch(kValueSpec, 150, 5, 10, 20),
              batch_ = rescaled(nice_, 10.0f, 50.0f);
  const Batch other_ = random_batch(kValueSpec, 20, 8);  // another size, too
  const std::vector<double> y_ = synthetic(nice_);
};

TEST_F(WhitenedBaseline, LearnsFromBadlyScaledInputs) {
  // Over eight networks: one alone may be lucky.
  const auto explained = [&](bool whiten) {
    double mean = 0.0;
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      const auto baseline = make(whiten, seed);
      for (int i = 0; i < 40; ++i) fit(*baseline, batch_, y_);
      mean += explained_variance(predict(*baseline, batch_), y_) / 8.0;
    }
    return mean;
  };
  EXPECT_GT(explained(true), 0.9);
  EXPECT_LT(explained(false), 0.75);
}

TEST_F(WhitenedBaseline, IsWhitenedOnce) {
  const auto once = make(), looked = make(), loaded = make();
  EXPECT_EQ(predict(*looked, batch_), std::vector<double>(batch_.steps(), 0.0));
  loaded->load(saved(*looked));
  for (const auto& baseline : {&once, &looked, &loaded}) fit(**baseline, batch_, y_);
  EXPECT_EQ(saved(*once), saved(*looked)) << "looking at a batch before the first fit";
  EXPECT_EQ(saved(*once), saved(*loaded)) << "saving before the first fit";
  const SavedNumbers before = saved(*once);
  predict(*once, other_);
  EXPECT_EQ(saved(*once), before);
}

TEST_F(WhitenedBaseline, GoesOnAfterALoadAsIfNothingHadHappened) {
  const auto a = make(), b = make();
  fit(*a, batch_, y_);
  b->load(saved(*a));
  EXPECT_EQ(predict(*a, other_), predict(*b, other_));
  for (int k = 0; k < 3; ++k) {
    for (const auto& baseline : {&a, &b}) fit(**baseline, batch_, y_);
  }
  EXPECT_EQ(saved(*a), saved(*b));
}

TEST(NetworkBaseline, GivesTheSameBitsForAnyNumberOfThreads) {
  const Batch batch = random_batch(kValueSpec, 300, 6, 60, 60);
  const auto y = synthetic(batch);
  std::vector<double> first;
  for (int threads : {1, 2, 3}) {
    ThreadPool pool(threads);
    const auto baseline = make_network_baseline(kValueSpec, {.horizon = 12, .seed = 3}, pool);
    for (int i = 0; i < 3; ++i) fit(*baseline, batch, y);
    const auto now = predict(*baseline, batch);
    if (first.empty()) first = now;
    EXPECT_EQ(now, first) << threads;
  }
}

}  // namespace
}  // namespace bpo
