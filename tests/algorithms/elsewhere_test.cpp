// A training whose every chunk is computed in a process of its own, from which nothing comes back
// but the bytes of the chunk's result. It ends in the bits of a training with threads: no chunk of
// the sampler, the objective, the value function or the validation writes anywhere else.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bpo/algorithms/train.h"
#include "tests/support/forked.h"

namespace bpo {
namespace {

struct Case {
  std::string name, problem;
  std::vector<std::string> sets;
  std::string method = "bpo";

  friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }
};

class TrainedElsewhere : public testing::TestWithParam<Case> {};

struct Ending {
  TrainState state;
  std::vector<std::pair<std::string, double>> metrics;
};

Ending ending(const Case& c, ThreadPool& pool) {
  Config config;
  for (const std::string& set : c.sets) config.set(set);
  for (const char* set : {"algo.iterations=2", "algo.validate_every=2", "algo.hidden=8",
                          "algo.validate_episodes=150", "optimizer.cg_iterations=3"}) {
    config.set(set);
  }
  const TrainSetup setup = make_setup(c.problem, c.method, config);
  Trainer trainer(*setup.problem, setup.method, setup.train, setup.optimizer, 3, pool);
  Ending out;
  while (!trainer.finished()) {
    const Metrics metrics = trainer.iterate();
    out.metrics.insert(out.metrics.end(), metrics.values.begin(), metrics.values.end());
  }
  out.state = trainer.save();
  return out;
}

TEST_P(TrainedElsewhere, EndsInTheSameBits) {
  if (!problems().contains(GetParam().problem)) GTEST_SKIP() << "without MuJoCo, no robots";
  ThreadPool alone(1), two(2);
  const Ending here = ending(GetParam(), two);
  test::Forked forked;
  const Elsewhere elsewhere(alone, forked);
  const Ending there = ending(GetParam(), alone);
  EXPECT_EQ(there.state.theta, here.state.theta);
  EXPECT_EQ(there.state.best_theta, here.state.best_theta);
  EXPECT_EQ(there.state.parts, here.state.parts);
  EXPECT_EQ(there.metrics, here.metrics);
  EXPECT_GT(forked.runs, 20);
  EXPECT_GT(forked.bytes, std::size_t{100'000});
}

INSTANTIATE_TEST_SUITE_P(
    Problems, TrainedElsewhere,
    testing::Values(
        Case{"Tiger", "tiger", {"optimizer.batch_steps=6000"}},
        Case{"Chain", "chain", {"optimizer.batch_steps=400", "algo.whiten=true"}},
        Case{"LightDark", "lightdark", {"optimizer.batch_steps=200", "algo.baseline=privileged"}},
        Case{"LightDarkPpo",
             "lightdark",
             {"optimizer.batch_steps=200", "optimizer.kind=ppo", "optimizer.epochs=2"}},
        Case{"ChainLinearBaseline",
             "chain",
             {"optimizer.batch_steps=400", "algo.baseline=linear", "optimizer.cg_subsample=0.5"}},
        // From the first iteration on it keeps the worst trajectories alone.
        Case{"ChainEpopt", "chain", {"optimizer.batch_steps=2000", "algo.epsilon_from=0"}, "epopt"},
        Case{"Swimmer", "swimmer", {"optimizer.batch_steps=400", "problem.horizon=20"}}),
    [](const auto& c) { return c.param.name; });

}  // namespace
}  // namespace bpo
