// A second kind of model through the same sampler, optimisers and training loop. Its one file is
// tests/support/recurrent_model.h; its derivatives are checked against differences of its values.
#include "bpo/optimizers/model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "bpo/algorithms/train.h"
#include "bpo/core/simulate.h"
#include "tests/support/networks.h"
#include "tests/support/problems.h"
#include "tests/support/recurrent_model.h"

namespace bpo {
namespace {

using test::ElmanObjective;
using test::RecurrentModel;
using test::relative_distance;
using test::to_double;

class SecondModel : public testing::Test {
 protected:
  std::unique_ptr<AnyProblem> problem_ =
      test::make_problem("tiger", {"problem.accuracy=0.9", "problem.horizon=12"});
  std::shared_ptr<const RecurrentModel> model_ =
      std::make_shared<const RecurrentModel>(problem_->spec(), 6);
  ThreadPool pool_{2};

  Batch batch(std::span<const float> theta, std::int64_t steps) {
    return BatchSampler(*problem_, *model_, LatentSource::kPrior, false, pool_)
        .sample(theta, 1, 0, steps);
  }
  static RatedBatch rated(const Batch& batch, bool masked) {
    RatedBatch out{batch, to_double(test::random_floats(batch.steps(), 3)), {}};
    for (int i = 0; masked && i < batch.steps(); ++i) out.keep.push_back(i % 3 != 0);
    return out;
  }
  static std::vector<float> moved(std::vector<float> theta, std::size_t i, double by) {
    theta[i] += static_cast<float>(by);
    return theta;
  }
};

TEST_F(SecondModel, GradientsAreDifferencesOfTheSurrogate) {
  const std::vector<float> old = model_->initialize({.seed = 2});
  const Batch seen = batch(old, 240);
  for (bool masked : {false, true}) {
    const RatedBatch worth = rated(seen, masked);
    const auto objective = model_->make_objective(pool_);
    objective->bind(worth, old);
    std::vector<float> here = old;
    for (std::size_t i = 0; i < here.size(); ++i) here[i] += i % 2 == 0 ? 0.03f : -0.03f;
    objective->move(here);
    std::vector<double> gradient(old.size(), 5.0), slopes(old.size());
    objective->gradient(0.0, gradient);
    for (std::size_t i = 0; i < here.size(); ++i) {
      const auto up = moved(here, i, 1e-3), down = moved(here, i, -1e-3);
      slopes[i] = (objective->evaluate(up).surrogate - objective->evaluate(down).surrogate) /
                  (double{up[i]} - double{down[i]});
    }
    EXPECT_LT(relative_distance(gradient, slopes), 1e-4);
    EXPECT_GT(relative_distance(gradient, std::vector<double>(old.size(), 1e-9)), 1.0);
  }
}

TEST_F(SecondModel, FisherProductsAreDifferencesOfTheKl) {
  // F is the Hessian of the KL at theta_old: F_ij from the KL at theta_old +- e_i +- e_j.
  const std::vector<float> old = model_->initialize({.seed = 2});
  const Batch seen = batch(old, 120);
  const RatedBatch worth = rated(seen, true);
  const auto objective = model_->make_objective(pool_);
  objective->bind(worth, old);
  // A short direction, for differences are blind to how the curvature itself changes.
  const auto v = to_double(test::random_floats(old.size(), 8, 0.1));
  std::vector<double> product(old.size(), 5.0), slopes(old.size());
  objective->fisher(v, product);
  const double e = 0.01;
  const auto kl = [&](std::size_t i, double by, double along) {
    std::vector<float> theta = old;
    for (std::size_t k = 0; k < theta.size(); ++k) theta[k] += static_cast<float>(along * v[k]);
    return objective->evaluate(moved(theta, i, by)).kl;
  };
  for (std::size_t i = 0; i < old.size(); ++i) {
    slopes[i] = (kl(i, e, e) - kl(i, -e, e) - kl(i, e, -e) + kl(i, -e, -e)) / (4 * e * e);
  }
  EXPECT_LT(relative_distance(product, slopes), 5e-3);
}

TEST_F(SecondModel, PartsAddUpToTheWhole) {
  const std::vector<float> old = model_->initialize({.seed = 2});
  const Batch seen = batch(old, 240);
  const RatedBatch worth = rated(seen, false);
  const auto objective = model_->make_objective(pool_);
  const double whole = objective->bind(worth, old).surrogate;
  std::vector<int> first, second;
  for (int unit = 0; unit < objective->units(); ++unit) {
    (unit % 2 == 0 ? first : second).push_back(unit);
  }
  const double n = objective->units();
  const double one = objective->part(first, old).evaluate(old).surrogate * first.size() / n;
  const double two = objective->part(second, old).evaluate(old).surrogate * second.size() / n;
  EXPECT_NEAR(one + two, whole, 1e-12);
}

TEST_F(SecondModel, AFileBringsBackThePolicy) {
  const std::vector<float> theta = model_->initialize({.seed = 4});
  EXPECT_EQ(model_->parameters(), theta.size());
  TensorFile file, again;
  model_->make_policy(theta, false)->save(file);
  EXPECT_EQ(file.tensors.size(), 5u);
  EXPECT_EQ(file.get<float>("head.bias").back(), theta.back());
  model_->read_policy(file, false, "p")->save(again);
  EXPECT_EQ(again, file);
  EXPECT_THROW(RecurrentModel(problem_->spec(), 7).read_policy(file, false, "p"), Error);
  file.tensors.erase("cell.memory");
  EXPECT_THROW(model_->read_policy(file, false, "p"), Error);
}

/// The parameter: the optimiser.
class SecondModelTraining : public SecondModel, public testing::WithParamInterface<const char*> {
 protected:
  Trainer trainer(ThreadPool& pool, std::uint64_t seed = 1) {
    OptimizerOptions optimizer{.kind = GetParam(), .batch_steps = 6000, .discount = 0.95};
    optimizer.kl = optimizer.kl_end = 0.02;
    optimizer.learning_rate = 0.01;
    const Method method{.sees = Sees::kNothing,
                        .model = [this](const auto&, const auto&) { return model_; }};
    return Trainer(*problem_, method,
                   {.iterations = 60, .validate_every = 60, .validate_episodes = 500}, optimizer,
                   seed, pool);
  }
};

TEST_P(SecondModelTraining, LearnsWhatOnlyMemoryCan) {
  Trainer training = trainer(pool_);
  while (!training.finished()) training.iterate();
  const auto value = [&](const Policy& policy) {
    return evaluate(*problem_, policy, 77, 4000, pool_).mean();
  };
  // Without memory, an agent that has heard one sound at most does best to listen for ever.
  const double listening = value(test::ConstantPolicy(0, 3));
  EXPECT_LT(value(*model_->make_policy(model_->initialize({.seed = 1}), false)), listening);
  EXPECT_GT(value(*training.best_policy()), listening + 3.0);
}

TEST_P(SecondModelTraining, GoesOnToTheSameBitsWithAnyNumberOfThreads) {
  ThreadPool one(1), three(3);
  Trainer whole = trainer(one), resumed = trainer(three);
  for (int i = 0; i < 2; ++i) whole.iterate();
  resumed.iterate();
  Trainer later = trainer(three);
  later.load(resumed.save());
  later.iterate();
  EXPECT_EQ(whole.state().theta, later.state().theta);
  EXPECT_NE(whole.state().theta, resumed.state().theta);
}

INSTANTIATE_TEST_SUITE_P(Optimizers, SecondModelTraining, testing::Values("trpo", "ppo"),
                         [](const auto& c) { return std::string(c.param); });

}  // namespace
}  // namespace bpo
