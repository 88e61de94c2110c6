// The verbs on good input: what they print and what they leave in the run directory.
#include <fmt/format.h>

#include <cmath>
#include <sstream>

#include "bpo/core/any_problem.h"
#include "tests/cli/process.h"

namespace bpo::cli {
namespace {

using VerbsTest = CliTest;
using nlohmann::json;

TEST_F(VerbsTest, HelpHasAnExample) {
  const Outcome all = run({"--help"});
  EXPECT_EQ(all.status, 0);
  std::istringstream lines(all.out.substr(all.out.find("Subcommands:")));
  int verbs = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("  ") || line.starts_with("   ") || line.starts_with("  bpo")) continue;
    const std::string verb = line.substr(2, line.find(' ', 2) - 2);
    const Outcome outcome = run({verb, "--help"});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_NE(outcome.out.find("  bpo " + verb), std::string::npos) << outcome.out;
    ++verbs;
  }
  std::istringstream declared(slurp(fs::path(kSourcePath) / "bpo/cli/verbs.h"));
  int there_are = 0;
  for (std::string line; std::getline(declared, line);) there_are += line.starts_with("Verb add_");
  EXPECT_EQ(verbs, there_are);
  EXPECT_GT(verbs, 0);
  EXPECT_EQ(run({"--version"}).out.substr(0, 4), "bpo ");
}

TEST_F(VerbsTest, ListNamesEverything) {
  const json all = run_json({"list"});
  for (const char* kind : {"problems", "filters", "algorithms"}) EXPECT_GT(all[kind].size(), 0u);
  EXPECT_EQ(run_json({"list", "problems"}).size(), 1u);
  const std::string text = run({"list", "--options", "chain"}).out;
  for (const char* word : {"problem.bins", "100000", "problem.tying", "'tied', 'semi'"}) {
    EXPECT_NE(text.find(word), std::string::npos) << text;
  }
  const json tiger = run_json({"list", "--options", "tiger"});
  const json* discount = nullptr;
  for (const json& row : tiger) {
    if (row["key"] == "optimizer.discount") discount = &row;
  }
  ASSERT_NE(discount, nullptr) << "Tiger's own default is listed with its options";
  EXPECT_EQ((*discount)["default"], "0.95");
  EXPECT_NE(run({"list", "--options", "epopt"}).out.find("algo.epsilon"), std::string::npos);
}

TEST_F(VerbsTest, TrainEvalPlay) {
  const json trained = run_json(training("tiger", "r", 30));
  EXPECT_EQ(trained, json::parse(slurp(dir_ / "r" / "result.json")));
  for (const char* key : {"problem", "algorithm", "seed", "mean", "ci95", "episodes", "exact_value",
                          "optimum", "bayes_policy", "gap", "commit", "machine", "instruction_set",
                          "compiler", "iterations", "steps", "train_seconds", "best_iteration"}) {
    EXPECT_TRUE(trained.contains(key) && !trained[key].is_null()) << key;
  }
  EXPECT_EQ(trained["iterations"], 30);
  EXPECT_NEAR(trained["optimum"].get<double>(), 19.2474, 1e-4);
  EXPECT_EQ(metrics("r").size(), 30u);

  const json exact = run_json({"eval", "r", "--exact"});
  EXPECT_EQ(exact["exact"], true);
  EXPECT_EQ(exact["episodes"], 0);
  EXPECT_EQ(exact["ci95"], 0.0);
  EXPECT_EQ(exact["mean"], trained["exact_value"]);
  EXPECT_EQ(exact["gap"].get<double>(),
            exact["optimum"].get<double>() - exact["mean"].get<double>());
  EXPECT_EQ(exact["steps"], trained["steps"]);

  const json sampled = run_json({"eval", "r"});
  EXPECT_EQ(sampled["mean"], trained["mean"]) << "result.json is eval with the run's seed";
  EXPECT_NEAR(sampled["mean"].get<double>(), exact["mean"].get<double>(),
              3.0 * sampled["ci95"].get<double>());
  EXPECT_NE(run_json({"eval", "r", "--seed", "1"})["mean"], sampled["mean"]);

  const json played = run_json({"play", "r", "--trace", "--episode", "3"});
  ASSERT_EQ(played["steps"].size(), 100u);
  double total = 0.0;
  for (const json& step : played["steps"]) {
    total += std::pow(0.95, step["t"].get<int>()) * step["reward"].get<double>();
  }
  EXPECT_NEAR(played["return"].get<double>(), total, 1e-9);
  const std::string trace = run({"play", "r", "--trace"}).out;
  EXPECT_NE(trace.find("[####....] [####....]"), std::string::npos) << trace;
  EXPECT_EQ(run({"play", "r"}).out.find("listen"), std::string::npos);
}

TEST_F(VerbsTest, EvalInAnotherWorld) {
  ASSERT_EQ(run(training("chain", "r", 5, {"--set", "problem.horizon=20"})).status, 0);
  const json changed = run_json(
      {"eval", "r", "--exact", "--set", "problem.slip=0.2", "--set", "problem.horizon=50"});
  EXPECT_GT(changed["optimum"].get<double>(), changed["bayes_policy"].get<double>());
  EXPECT_GT(changed["bayes_policy"].get<double>(), changed["mean"].get<double>());
  EXPECT_EQ(changed["set"][0], "problem.slip=0.2");
  expect_refused({"eval", "r", "--set", "problem.bins=7"}, 2, {"belief", "10", "7"});
  // The size of the belief stays, its meaning does not.
  expect_refused({"eval", "r", "--set", "problem.bins=5", "--set", "problem.tying=semi"}, 2,
                 {"problem.tying", "belief.factors.0", "slip of A"});
  expect_refused({"eval", "r", "--set", "algo.hidden=64"}, 2, {"problem."});
  expect_refused({"eval", "r", "--set", "problem.horizon=100000", "--exact"}, 2,
                 {"information states"});
  EXPECT_TRUE(
      run_json({"eval", "r", "--set", "problem.horizon=20000", "--episodes", "1"})["optimum"]
          .is_null());
}

TEST_F(VerbsTest, OracleHasNoExactValue) {
  const json trained = run_json(training("tiger", "r", 3, {"--algo", "oracle"}));
  EXPECT_TRUE(trained["exact_value"].is_null());
  EXPECT_FALSE(trained["optimum"].is_null());
  expect_refused({"eval", "r", "--exact"}, 2, {"latent"});
}

TEST_F(VerbsTest, SeedsAreTrainedOnceAndSummarised) {
  const auto command = training("tiger", "s", 3, {"--seeds", "3", "--seed", "5"});
  const json first = run_json(command);
  ASSERT_EQ(first["runs"].size(), 3u);
  EXPECT_EQ(first["seeds"], json({5, 6, 7}));
  double mean = 0.0, best = -1e9;
  for (const json& r : first["runs"]) {
    mean += r["exact_value"].get<double>() / 3.0;
    best = std::max(best, r["exact_value"].get<double>());
  }
  EXPECT_NEAR(first["mean"].get<double>(), mean, 1e-9);
  EXPECT_EQ(first["best"]["value"], best);
  EXPECT_GT(first["ci95"].get<double>(), 0.0);

  fs::remove(dir_ / "s" / "seed-6" / "result.json");
  const auto untouched = fs::last_write_time(dir_ / "s" / "seed-5" / "policy.safetensors");
  EXPECT_EQ(run_json(command)["mean"], first["mean"]);
  EXPECT_EQ(fs::last_write_time(dir_ / "s" / "seed-5" / "policy.safetensors"), untouched);
  expect_refused(training("tiger", "s", 4, {"--seeds", "3", "--seed", "5"}), 2,
                 {"seed-5", "other settings"});
  const json evaluated = run_json({"eval", "s", "--exact"});
  EXPECT_EQ(evaluated["mean"], first["mean"]);
  EXPECT_EQ(evaluated["runs"].size(), 3u);
  EXPECT_NE(run({"eval", "s", "--exact"}).out.find("mean over 3 seeds"), std::string::npos);
}

TEST_F(VerbsTest, ConfigOfARunReproducesIt) {
  ASSERT_EQ(run(training("tiger", "a", 3, {"--seed", "4"})).status, 0);
  ASSERT_EQ(run({"train", "--config", "a/config.toml", "--out", "b"}).status, 0);
  EXPECT_EQ(slurp(dir_ / "a" / "config.toml"), slurp(dir_ / "b" / "config.toml"));
  EXPECT_EQ(slurp(dir_ / "a" / "policy.safetensors"), slurp(dir_ / "b" / "policy.safetensors"));
}

TEST_F(VerbsTest, BenchSignsItsResults) {
  const json one = run_json({"bench", "tiger", "--seconds", "0.01"});
  for (const char* key : {"rollout_steps_per_s", "train_steps_per_s"}) {
    EXPECT_GT(one["problems"]["tiger"][key].get<double>(), 0.0);
  }
  EXPECT_GT(one["peak_gflops"].get<double>(), 0.1);
  EXPECT_EQ(one["threads"], 1);
  EXPECT_EQ(one["isa"], BPO_ARCH);
  const json again = run_json({"bench", "chain", "--seconds", "0.01", "--threads", "2"});
  EXPECT_EQ(one["signature"], again["signature"]) << "neither threads, time nor choice matter";
}

TEST_F(VerbsTest, BenchMeasuresTheBeliefOfARobot) {
  if (!problems().contains("swimmer")) GTEST_SKIP() << "without MuJoCo there are no robots";
  const json found = run_json({"bench", "swimmer", "--seconds", "0.02"});
  const json& robot = found["problems"]["swimmer"];
  for (const char* key : {"train_steps_per_s", "plain_steps_per_s", "belief_steps_per_s",
                          "mujoco_steps_per_s", "mj_step_steps_per_s"}) {
    EXPECT_GT(robot[key].get<double>(), 0.0);
  }
  EXPECT_DOUBLE_EQ(robot["ratio"].get<double>(), robot["plain_steps_per_s"].get<double>() /
                                                     robot["belief_steps_per_s"].get<double>());
  EXPECT_GE(robot["filter_models_per_step"].get<double>(), 1.0) << "the best cell always needs one";
}

TEST_F(VerbsTest, BenchComparesLanesWithMuJoCo) {
  const Outcome refused = run({"bench", "chain", "--agreement"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("chain has no option problem.simulator"), std::string::npos)
      << refused.err;
  if (!problems().contains("swimmer")) GTEST_SKIP() << "without MuJoCo there are no robots";
  const json found = run_json({"bench", "swimmer", "--agreement"});
  const json& random = found["problems"]["swimmer"]["random"];
  EXPECT_GT(random["steps"], 1000);
  EXPECT_LT(random["worst_difference"].get<double>(), 1e-11);
  EXPECT_FALSE(found["problems"]["swimmer"].contains("means")) << "nobody named a policy";
}

TEST_F(VerbsTest, BenchComparesLanesWithMuJoCoInAPolicysGait) {
  if (!problems().contains("swimmer")) GTEST_SKIP() << "without MuJoCo there are no robots";
  const std::vector<std::string> own{"--set", "problem.horizon=15", "--set", "problem.bins=2"};
  ASSERT_EQ(run(training("swimmer", "swims", 1, own)).status, 0);
  const std::vector<std::string> bench{"bench", "--agreement", "--policy", "swims"};
  const json found = run_json(bench)["problems"]["swimmer"];
  EXPECT_EQ(found["gait"]["steps"], 24 * 15) << "steps of the policy's own world";
  EXPECT_LT(found["gait"]["worst_difference"].get<double>(), 1e-11);
  EXPECT_GT(found["gait"]["worst_difference"].get<double>(), 0.0);
  EXPECT_NE(found["gait"], found["random"]);
  const json& means = found["means"];
  EXPECT_EQ(means["episodes"], 500);
  const double lanes = means["lanes"], mujoco = means["mujoco"];
  EXPECT_EQ(run_json({"eval", "swims", "--episodes", "500"})["mean"].get<double>(), lanes);
  EXPECT_NEAR(means["difference"].get<double>(), lanes - mujoco, 1e-12);
  EXPECT_LT(std::abs(lanes - mujoco), 0.01 * std::abs(lanes));
  const std::string told = run(bench).out;
  EXPECT_NE(told.find("(360 of the policy's steps)"), std::string::npos) << told;
  EXPECT_NE(told.find(fmt::format("the policy's mean over 500 episodes is {:.3f} by lanes", lanes)),
            std::string::npos)
      << told;
}

TEST_F(VerbsTest, BenchComparesABeliefWithTheFullPosterior) {
  const Outcome refused = run({"bench", "chain", "--filter"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("--filter: chain"), std::string::npos) << refused.err;
  if (!problems().contains("swimmer")) GTEST_SKIP() << "without MuJoCo there are no robots";
  const json found = run_json({"bench", "swimmer", "--filter"})["problems"]["swimmer"];
  EXPECT_EQ(found["episodes"], 500);
  EXPECT_EQ(found["same_best"], found["steps"]);
  // The filter's own bound, and what rounding 25 cells of both may add.
  EXPECT_LT(found["worst_distance"].get<double>(), 1e-3 + 2 * 25 * 0x1p-14);
  EXPECT_GT(found["pruned_right"].get<int>(), 250);
  // A policy's problem keeps the policy's options: here every model is simulated on either side.
  const std::vector<std::string> own{"--set", "problem.tolerance=0", "--set", "problem.bins=2"};
  ASSERT_EQ(run(training("swimmer", "swims", 1, own)).status, 0);
  const json same =
      run_json({"bench", "swimmer", "--filter", "--policy", "swims"})["problems"]["swimmer"];
  EXPECT_EQ(same["episodes"], 500);
  EXPECT_EQ(same["worst_distance"], 0.0);
}

TEST_F(VerbsTest, DoctorFindsNothing) {
  const json found = run_json({"doctor"});
  EXPECT_EQ(found["ok"], true);
  EXPECT_TRUE(found["instruction set"].get<std::string>().starts_with(BPO_ARCH));
  const bool robots = run({"list", "problems"}).out.find("half-cheetah") != std::string::npos;
  EXPECT_EQ(found["MuJoCo"].get<std::string>().starts_with("not built in"), !robots);
}

}  // namespace
}  // namespace bpo::cli
