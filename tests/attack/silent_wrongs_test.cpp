// What used to be said wrongly or not at all: broken simulations, comparisons of what cannot be
// compared, intervals of one number, seeds lost to one that diverged, input that was ignored.
#include "bpo/core/any_problem.h"
#include "tests/cli/process.h"

namespace bpo::cli {
namespace {

using nlohmann::json;

class SilentWrongs : public CliTest {
 protected:
  void train(const std::string& problem, const std::string& out,
             const std::vector<std::string>& more = {}) const {
    const Outcome outcome = run(training(problem, out, 2, more));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
  }
  static bool has(const std::string& text, const std::string& word) {
    return text.find(word) != std::string::npos;
  }
};

TEST_F(SilentWrongs, ASimulationThatBreaksDownIsRefused) {
  if (!problems().contains("swimmer")) GTEST_SKIP() << "built without MuJoCo";
  train("swimmer", "r",
        {"--set", "problem.horizon=20", "--set", "algo.hidden=8", "--set",
         "optimizer.batch_steps=100", "--set", "algo.validate_episodes=4"});
  const std::vector<std::string> world{"--episodes",        "20",    "--set",
                                       "problem.first=0.1", "--set", "problem.second=0.1"};
  for (std::vector<std::string> words : std::vector<std::vector<std::string>>{
           {"eval", "r"}, {"compare", "r"}, {"report", "r", "-o", "p.html"}}) {
    words.insert(words.end(), world.begin(), world.end());
    expect_refused(words, 4, {"broke down", "episode", "latent"});
  }
  EXPECT_FALSE(fs::exists(dir_ / "p.html"));
  const std::vector<std::string> play{
      "play", "r", "--set", "problem.first=0.1", "--set", "problem.second=0.1"};
  EXPECT_TRUE(has(run(play).out, "broke down"));
  EXPECT_EQ(run_json(play)["faults"], 1);
  EXPECT_EQ(run_json({"eval", "r", "--episodes", "4"})["faults"], 0);
}

TEST_F(SilentWrongs, OtherWorldsAreNotPaired) {
  train("tiger", "a");
  train("tiger", "b", {"--set", "problem.horizon=20"});
  train("tiger", "c", {"--set", "problem.accuracy=0.9"});
  train("tiger", "d", {"--algo", "up-mle"});
  const std::vector<std::string> words{"compare", "a", "b", "c", "d", "--episodes", "50"};
  const json all = run_json(words);
  const json& runs = all["runs"];
  EXPECT_TRUE(runs[1]["first_minus_this"].is_null());
  EXPECT_TRUE(runs[2]["first_minus_this"].is_null());
  EXPECT_FALSE(runs[3]["first_minus_this"].is_null());
  EXPECT_TRUE(has(runs[1]["differs_from_first"], "problem.horizon = 20 instead of 100"));
  EXPECT_TRUE(has(runs[2]["differs_from_first"], "problem.accuracy"));
  EXPECT_EQ(runs[3]["differs_from_first"], "");
  const Outcome text = run(words);
  EXPECT_EQ(text.status, 0);
  EXPECT_TRUE(has(text.err, "problem.horizon = 20")) << text.err;
  EXPECT_FALSE(has(text.out, "common")) << text.out;
  EXPECT_TRUE(has(run({"compare", "a", "d", "--episodes", "50"}).out, "50 common episodes"));
  ASSERT_EQ(run({"report", "a", "b", "-o", "p.html", "--episodes", "50"}).status, 0);
  const std::string page = slurp(dir_ / "p.html");
  EXPECT_TRUE(has(page, "another world"));
  EXPECT_FALSE(has(page, "optimum 19.2")) << "no optimum is everybody's";
  ASSERT_EQ(run({"report", "a", "d", "-o", "p.html", "--episodes", "50"}).status, 0);
  EXPECT_TRUE(has(slurp(dir_ / "p.html"), "optimum 19.2"));
}

TEST_F(SilentWrongs, WhatOnlyTheAgentSeesDoesNotKeepEpisodesApart) {
  train("chain", "a", {"--set", "problem.bins=5"});
  train("chain", "b", {"--set", "problem.bins=7"});
  const json all = run_json({"compare", "a", "b", "--episodes", "50"});
  EXPECT_FALSE(all["runs"][1]["first_minus_this"].is_null());
}

TEST_F(SilentWrongs, SeedsOfTwoTrainingsAreNotOneMean) {
  train("tiger", "p/seed-0");
  train("tiger", "p/seed-1", {"--algo", "up-mle", "--seed", "1"});
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"eval", "p"}, {"compare", "p"}, {"report", "p", "-o", "p.html"}}) {
    expect_refused(words, 2, {"seed-1", "run.algorithm", "up-mle"});
  }
  fs::remove_all(dir_ / "p/seed-1");
  train("tiger", "p/seed-1", {"--seed", "1", "--set", "problem.horizon=20"});
  expect_refused({"eval", "p"}, 2, {"seed-1", "problem.horizon = 20 instead of 100"});
}

TEST_F(SilentWrongs, OneEpisodeHasNoInterval) {
  train("tiger", "r");
  EXPECT_TRUE(run_json({"eval", "r", "--episodes", "1"})["ci95"].is_null());
  EXPECT_FALSE(run_json({"eval", "r", "--episodes", "2"})["ci95"].is_null());
  const std::string text = run({"eval", "r", "--episodes", "1"}).out;
  EXPECT_FALSE(has(text, "+-")) << text;
  EXPECT_TRUE(has(text, "no interval")) << text;
  EXPECT_FALSE(has(run({"compare", "r", "r", "--episodes", "1"}).out, "+- 0"));
  const json one = run_json({"compare", "r", "--episodes", "1"});
  EXPECT_TRUE(one["runs"][0]["over_episodes"]["ci95"].is_null());
}

TEST_F(SilentWrongs, ADivergedSeedDoesNotStopTheOthers) {
  // One step of one episode has no advantage over the mean: every update is taken back.
  const std::vector<std::string> words =
      training("chain", "d", 50,
               {"--seeds", "3", "--set", "optimizer.batch_steps=1", "--set", "problem.horizon=1"});
  for (int time = 0; time < 2; ++time) {  // and the same command again says the same
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.status, 4) << outcome.err;
    EXPECT_TRUE(has(outcome.err, "3 of 3 seeds diverged")) << outcome.err;
    EXPECT_TRUE(has(outcome.out, "mean over 3 seeds")) << outcome.out;
    for (const char* seed : {"0", "1", "2"}) {
      const auto result =
          json::parse(slurp(dir_ / "d" / ("seed-" + std::string(seed)) / "result.json"));
      EXPECT_FALSE(result["diverged"].is_null());
      EXPECT_EQ(result["iterations"], 10);
    }
  }
  const std::string before = slurp(dir_ / "d/seed-1/checkpoint.safetensors");
  expect_refused({"resume", "d/seed-1"}, 4, {"10 updates in a row", "iteration 10"});
  EXPECT_EQ(slurp(dir_ / "d/seed-1/checkpoint.safetensors"), before) << "not one iteration more";
}

TEST_F(SilentWrongs, IgnoredInputIsRefused) {
  train("tiger", "r");
  expect_refused({"bench", "tiger", "--policy", "nope"}, 2, {"nope", "not a run directory"});
  expect_refused({"bench", "tiger", "--policy", "r"}, 2, {"--policy", "robot"});
  expect_refused({"bench", "chain", "--policy", "r"}, 2, {"trained on tiger"});
  expect_refused({"eval", "r", "--exact", "--episodes", "5"}, 2, {"--exact", "--episodes"});
  expect_refused({"eval", "r", "--exact", "--seed", "5"}, 2, {"--exact", "--seed"});
  expect_refused({"list", "problems", "--options", "chain"}, 2, {"--options"});
  expect_refused({"solve", "lightdark", "--planner", "belief-ilqg", "--force"}, 2, {"--out"});
  expect_refused({"reproduce", "--list", "--shard", "1/2"}, 2, {"--shard"});
  const std::string help = run({"play", "--help"}).out;
  EXPECT_TRUE(has(help, "runs/lightdark-bpo-0 runs/lightdark-up-mle-0")) << help;
}

TEST_F(SilentWrongs, MessagesNameWhatIsWrong) {
  spill(dir_ / "empty.toml", "");
  expect_refused({"train", "--config", "empty.toml"}, 2, {"empty.toml", "run.problem"});
  fs::create_directory(dir_ / "e");
  spill(dir_ / "e/config.toml", "");
  for (const char* verb : {"eval", "resume", "play"}) {
    expect_refused({verb, "e"}, 2, {"e/config.toml", "run.problem"});
  }
  expect_refused({"reproduce", "foo"}, 2, {"'foo'", "bpo reproduce --list"});
  expect_refused({"--bogus"}, 2, {"unexpected argument '--bogus'"});
  expect_refused({"train", "tiger", "--seed", "1", "--seed", "2"}, 2, {"--seed is given 2 times"});
  ASSERT_EQ(run({"solve", "lightdark", "--planner", "belief-ilqg", "--episodes", "1", "--out", "s"})
                .status,
            0);
  expect_refused({"solve", "lightdark", "--planner", "belief-ilqg", "--out", "s"}, 2,
                 {"s: holds a plan", "--force"});
  EXPECT_FALSE(
      has(run({"solve", "lightdark", "--planner", "belief-ilqg", "--out", "s"}).err, "bpo resume"));
}

}  // namespace
}  // namespace bpo::cli
