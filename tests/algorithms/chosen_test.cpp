// The table of chosen settings: what it scales, what it leaves alone, and that a choice as settings
// is the same training as the choice as a default.
#include "bpo/algorithms/chosen.h"

#include <gtest/gtest.h>

namespace bpo {
namespace {

TrainSettings resolved(const std::string& problem, const std::string& method,
                       const std::vector<std::string>& sets = {}) {
  Config config;
  for (const std::string& set : sets) config.set(set);
  return resolve_setup(problem, method, config);
}

TEST(Chosen, EpoptHasFiftyEpisodesOfARobotForAsManyStepsInAll) {
  if (!problems().contains("swimmer")) GTEST_SKIP() << "without MuJoCo there are no robots";
  const TrainSettings usual = resolved("swimmer", "dr"), epopt = resolved("swimmer", "epopt");
  EXPECT_EQ(usual.optimizer.batch_steps, 1600);
  EXPECT_EQ(epopt.optimizer.batch_steps, 50 * 200);
  EXPECT_EQ(epopt.train.iterations * epopt.optimizer.batch_steps,
            usual.train.iterations * usual.optimizer.batch_steps);
  EXPECT_EQ(epopt.train.validate_every * epopt.optimizer.batch_steps,
            usual.train.validate_every * usual.optimizer.batch_steps);
  EXPECT_EQ(epopt.train.epsilon_from, 100) << "no more than a hundred, and of few iterations half";
  EXPECT_EQ(epopt.optimizer.kl, usual.optimizer.kl);
  const TrainSettings narrow = resolved("swimmer", "epopt", {"optimizer.batch_steps=400"});
  EXPECT_EQ(narrow.optimizer.batch_steps, 400);
  EXPECT_EQ(narrow.train.iterations, usual.train.iterations);
  const TrainSettings brief = resolved("swimmer", "epopt", {"algo.iterations=30"});
  EXPECT_EQ(brief.optimizer.batch_steps, 50 * 200);
  EXPECT_EQ(brief.train.iterations, 30);
}

TEST(Chosen, NothingElseIsScaled) {
  EXPECT_EQ(chosen("tiger", "epopt"), Choice{});
  EXPECT_EQ(chosen("swimmer", "bpo"), Choice{});
  EXPECT_EQ(chosen("no such problem", "bpo"), Choice{});
}

TEST(Chosen, SettingsAreTheSameTrainingAsDefaults) {
  const std::vector<std::string> sets{"problem.bins=3", "optimizer.kl=0.02"};
  for (const Choice& choice : {Choice{0.5, 2.0}, Choice{4.0, 1.0}}) {
    Config config;
    for (const std::string& set : sets) config.set(set);
    problems().at("chain").resolve(config);
    TrainOptions train;
    OptimizerOptions optimizer;
    config.read("algo", train);
    config.read("optimizer", optimizer);
    const std::int64_t steps = train.iterations * optimizer.batch_steps;
    make_default(choice, config, train, optimizer);
    EXPECT_EQ(train.iterations * optimizer.batch_steps, steps);
    EXPECT_EQ(optimizer.kl, 0.02) << "it was set";
    EXPECT_EQ(optimizer.kl_end, choice.kl * 0.001);

    std::vector<std::string> all = sets;
    for (const std::string& set : settings_of(choice, "chain", "bpo", sets)) all.push_back(set);
    const TrainSettings as_settings = resolved("chain", "bpo", all);
    EXPECT_EQ(as_settings.optimizer.batch_steps, optimizer.batch_steps);
    EXPECT_EQ(as_settings.train.iterations, train.iterations);
    EXPECT_EQ(as_settings.train.validate_every, train.validate_every);
    EXPECT_EQ(as_settings.optimizer.kl, choice.kl * 0.02);
    EXPECT_EQ(as_settings.optimizer.kl_end, optimizer.kl_end);
  }
}

}  // namespace
}  // namespace bpo
