// `bpo solve`: what it prints, what it refuses, and that the directory it leaves is a run.
#include <fmt/format.h>

#include <set>

#include "tests/cli/process.h"

namespace bpo::cli {
namespace {

using nlohmann::json;

class SolveTest : public CliTest {
 protected:
  /// Settings that take a moment.
  static std::vector<std::string> solving(const std::vector<std::string>& more = {}) {
    std::vector<std::string> all{"solve",      "lightdark",
                                 "--planner",  "belief-ilqg",
                                 "--episodes", "5",
                                 "--set",      "planner.guesses=2",
                                 "--set",      "planner.iterations=2",
                                 "--set",      "planner.rollouts=4"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};

TEST_F(SolveTest, LeavesARunToEvaluateAndPlay) {
  const json solved = run_json(solving({"--out", "p", "--seed", "4"}));
  EXPECT_EQ(solved, json::parse(slurp(dir_ / "p" / "result.json")));
  EXPECT_EQ(solved["algorithm"], "belief-ilqg");
  EXPECT_EQ(solved["episodes"], 5);
  EXPECT_TRUE(solved["iterations"].is_null());
  const std::string config = slurp(dir_ / "p" / "config.toml");
  for (const char* line : {"algorithm = \"belief-ilqg\"", "[planner]", "guesses = 2", "leak"}) {
    EXPECT_NE(config.find(line), std::string::npos) << config;
  }

  const json again = run_json({"eval", "p", "--episodes", "5", "--seed", "4", "--threads", "1"});
  EXPECT_EQ(again["mean"], solved["mean"]) << "equal seeds, equal episodes";
  EXPECT_NE(run_json({"eval", "p", "--episodes", "5"})["mean"], solved["mean"]);
  EXPECT_NE(run_json({"eval", "p", "--episodes", "5", "--seed", "4", "--set",
                      "problem.penalty=100"})["mean"],
            solved["mean"]);
  const json played = run_json({"play", "p", "--trace", "--seed", "4"});
  EXPECT_EQ(played["steps"].size(), played["length"].get<std::size_t>());
  EXPECT_GT(played["length"].get<int>(), 5);
  EXPECT_NE(run({"play", "p", "--trace"}).out.find("belief-ilqg seed 4"), std::string::npos);
  expect_refused({"resume", "p"}, 2, {"belief-ilqg is a planner", "bpo eval"});
  expect_refused({"eval", "p", "--exact"}, 2, {"information state"});
}

/// RockSample with bounds, in a run called `out`.
std::vector<std::string> bounding(const std::string& out, const std::vector<std::string>& more) {
  std::vector<std::string> all{"solve",       "rocksample", "--planner",   "sarsop",    "--set",
                               "problem.n=4", "--set",      "problem.k=4", "--threads", "1",
                               "--episodes",  "20",         "--out",       out};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

TEST_F(SolveTest, APlannerWithBoundsIsStoppedAndResumedToTheSameBits) {
  const Outcome whole = run(bounding("whole", {}));
  ASSERT_EQ(whole.status, 0) << whole.err;
  EXPECT_NE(whole.err.find("lower 17.92"), std::string::npos) << whole.err;
  ASSERT_EQ(run(bounding("parts", {"--gap", "3"})).status, 0);
  const auto policy = [&](const char* name) { return slurp(dir_ / name / "policy.safetensors"); };
  EXPECT_NE(policy("parts"), policy("whole"));
  EXPECT_EQ(run_json({"eval", "parts", "--episodes", "20"})["episodes"], 20);
  ASSERT_EQ(run({"resume", "parts", "--threads", "2"}).status, 0);
  EXPECT_EQ(policy("parts"), policy("whole"));
  EXPECT_EQ(slurp(dir_ / "parts" / "appl.policy"), slurp(dir_ / "whole" / "appl.policy"));
  EXPECT_EQ(run_json({"play", "parts", "--trace"})["algorithm"], "sarsop");
}

TEST_F(SolveTest, TheLineOfAPlannerTellsWhatItsMetricsTell) {
  const Outcome whole = run(bounding("r", {}));
  ASSERT_EQ(whole.status, 0) << whole.err;
  const json last = json::parse(metrics("r").back());
  const auto shown = [&](const char* name) { return last[name].get<double>(); };
  const std::string line = fmt::format(
      "trials {:.0f}  backups {:.0f}  lower {:.4f}  upper {:.4f}  gap {:.4f}  vectors "
      "{:.0f}  {:.1f} MB",
      shown("trials"), shown("backups"), shown("lower"), shown("upper"), shown("gap"),
      shown("vectors"), shown("memory"));
  EXPECT_NE(whole.err.find(" s  " + line), std::string::npos) << line << " is not in " << whole.err;
}

TEST_F(SolveTest, TimeAndMemoryStopAPlanner) {
  const auto stopped = [&](const std::string& out, const std::vector<std::string>& more) {
    std::vector<std::string> all{"solve",       "rocksample", "--planner",   "sarsop",    "--set",
                                 "problem.n=7", "--set",      "problem.k=8", "--threads", "1",
                                 "--episodes",  "20",         "--out",       out};
    all.insert(all.end(), more.begin(), more.end());
    const Outcome outcome = run(all);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const json last = json::parse(metrics(out).back());
    EXPECT_GT(last["gap"].get<double>(), 2.0) << "there was more to do";
    EXPECT_LT(last["lower"].get<double>(), last["upper"].get<double>());
    return std::pair(last, outcome);
  };
  stopped("timed", {"--seconds", "0.3"});
  double seconds = 0.0;
  for (std::istringstream lines(slurp(dir_ / "timed" / "metrics.jsonl")); lines;) {
    std::string line;
    if (std::getline(lines, line)) seconds = json::parse(line)["seconds"].get<double>();
  }
  EXPECT_GE(seconds, 0.3);

  const auto [large, limited] = stopped("limited", {"--memory", "40"});
  EXPECT_GE(large["memory"].get<double>(), 40.0);
  EXPECT_LT(large["memory"].get<double>(), 60.0);
  // A checkpoint has all that was found, and is written without a copy of it.
  EXPECT_GT(fs::file_size(dir_ / "limited" / "checkpoint.safetensors"), 20u << 20);
#ifndef BPO_SANITIZED
  if (*kEmulator == '\0') EXPECT_LT(limited.peak_mb, 100);
#endif
  // The same bits where it stops for memory on the way and goes on.
  ASSERT_EQ(run({"resume", "limited", "--threads", "1"}).status, 0);
  EXPECT_EQ(json::parse(metrics("limited").back()), large) << "nothing is left to do";
}

/// An iteration is so much work on every machine, so where it stops is no matter of time.
TEST_F(SolveTest, IterationsStopAPlannerAtTheSameBits) {
  const auto stopped = [&](const std::string& out, const char* iterations, const char* threads) {
    EXPECT_EQ(run({"solve", "rocksample", "--planner", "sarsop", "--set", "problem.n=5", "--set",
                   "problem.k=5", "--episodes", "20", "--iterations", iterations, "--threads",
                   threads, "--out", out})
                  .status,
              0);
    EXPECT_EQ(metrics(out).size(), std::stoul(iterations));
    return slurp(dir_ / out / "policy.safetensors");
  };
  const std::string policy = stopped("one", "3", "1");
  EXPECT_EQ(stopped("other", "3", "2"), policy);
  EXPECT_NE(stopped("longer", "6", "1"), policy);
}

/// What is in use is counted, whatever room there happens to be beside it after a restart.
TEST_F(SolveTest, MemoryStopsAResumedPlannerWhereItStopsAnother) {
  ASSERT_EQ(run(bounding("whole", {"--memory", "1.5"})).status, 0);
  ASSERT_EQ(run(bounding("parts", {"--memory", "1.5", "--gap", "5"})).status, 0);
  const auto policy = [&](const char* name) { return slurp(dir_ / name / "policy.safetensors"); };
  ASSERT_NE(policy("parts"), policy("whole"));
  ASSERT_EQ(run({"resume", "parts"}).status, 0);
  EXPECT_EQ(policy("parts"), policy("whole"));
}

/// A planner without a lower bound is a planner all the same.
TEST_F(SolveTest, PlannersOfOneBoundKeepItAndTheirPolicies) {
  ASSERT_EQ(run({"write-problem", "tiger", "t.pomdp"}).status, 0);
  for (const auto& [planner, upper] :
       {std::pair("mdp", 200.0), {"qmdp", 189.0}, {"fib", 87.1795}}) {
    SCOPED_TRACE(planner);
    const json solved = run_json({"solve", "t.pomdp", "--planner", planner, "--out", planner,
                                  "--memory", "200", "--seconds", "30", "--episodes", "50"});
    EXPECT_NEAR(solved["upper"].get<double>(), upper, 1e-4);
    EXPECT_TRUE(solved["lower"].is_null());
    EXPECT_GT(solved["iterations"].get<int>(), 0);
    EXPECT_TRUE(fs::exists(dir_ / planner / "policy.safetensors"));
    EXPECT_TRUE(fs::exists(dir_ / planner / "checkpoint.safetensors"));
    // APPL's policies look at the whole belief.
    EXPECT_EQ(fs::exists(dir_ / planner / "appl.policy"), std::string(planner) != "mdp");
    const json again = run_json({"eval", planner, "--episodes", "50"});
    EXPECT_EQ(again["mean"], solved["mean"]);
    EXPECT_EQ(again["upper"], solved["upper"]);
    EXPECT_NE(run({"eval", planner, "--episodes", "2"}).out.find("bounds     at most "),
              std::string::npos);
    EXPECT_NE(run({"resume", planner}).err.find("was finished already"), std::string::npos);
  }
  const Outcome both = run({"compare", "qmdp", "fib", "mdp", "--episodes", "50"});
  EXPECT_NE(both.out.find("the optimum is at most 87.1795"), std::string::npos) << both.out;
  const json row = run_json({"compare", "qmdp", "fib", "--episodes", "50"})["runs"][0];
  EXPECT_TRUE(row["optimum_minus_this"]["low"].is_null());
  EXPECT_NEAR(row["optimum_minus_this"]["high"].get<double>(),
              87.17949 - row["over_episodes"]["mean"].get<double>(), 1e-4);
  ASSERT_EQ(run({"report", "qmdp", "mdp", "-o", "page.html", "--episodes", "20"}).status, 0);
  const std::string page = slurp(dir_ / "page.html");
  for (const char* words : {"the optimum is at most 189.0", "no policy is worth more there",
                            "wherever that state is the most likely"}) {
    EXPECT_NE(page.find(words), std::string::npos) << words;
  }
}

/// What holds of one planner's run holds of every other's, and they stand side by side.
TEST_F(SolveTest, RunsOfAllPlannersAreEvaluatedPlayedComparedAndReported) {
  spill(path("t.pomdp"),
        "discount: 0.95\nstates: here there\nactions: hark try-here try-there\nobservations: 2\n"
        "T: * uniform\nT: hark identity\nO: * uniform\nO: hark\n0.85 0.15\n0.15 0.85\n"
        "R: * : * : * : * 10\nR: hark : * : * : * -1\nR: try-here : here : * : * -100\n"
        "R: try-there : there : * : * -100\n");
  const std::vector<std::string> planners{"mdp", "qmdp", "fib", "pbvi", "perseus", "sarsop"};
  const auto of_all = [&](std::vector<std::string> words, const std::vector<std::string>& more) {
    words.insert(words.end(), planners.begin(), planners.end());
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const std::set<std::string> actions{"hark", "try-here", "try-there"};
  std::vector<json> means;
  for (const std::string& p : planners) {
    SCOPED_TRACE(p);
    const json solved =
        run_json({"solve", "t.pomdp", "--planner", p, "--out", p, "--episodes", "50"});
    means.push_back(solved["mean"]);
    EXPECT_EQ(run_json({"eval", p, "--episodes", "50"})["mean"], means.back());
    const json played = run_json({"play", p, "--trace"});
    EXPECT_EQ(played["algorithm"], p);
    EXPECT_GT(played["steps"].size(), 10u);
    for (const json& step : played["steps"]) EXPECT_TRUE(actions.contains(step["action"])) << step;
  }
  const json compared = run_json(of_all({"compare"}, {"--episodes", "50"}))["runs"];
  ASSERT_EQ(compared.size(), planners.size());
  for (std::size_t i = 0; i < planners.size(); ++i) {
    EXPECT_EQ(compared[i]["algorithm"], planners[i]);
    EXPECT_EQ(compared[i]["over_episodes"]["mean"], means[i]);
  }
  ASSERT_EQ(run(of_all({"report"}, {"-o", "page.html", "--episodes", "20"})).status, 0);
  const std::string page = slurp(dir_ / "page.html");
  EXPECT_NE(page.find(">Bounds<"), std::string::npos);
  for (const std::string& p : planners) {
    EXPECT_NE(page.find("Alpha vectors of " + p), std::string::npos) << p;
    EXPECT_NE(page.find(">" + p + ", upper"), std::string::npos) << p;
  }
}

TEST_F(SolveTest, WhatDoesNotFitIntoMemoryIsRefusedBeforeItIsMade) {
  spill(path("dense.pomdp"),
        "discount: 0.9\nstates: 400\nactions: 1\nobservations: 400\nT: 0 uniform\nO: 0 "
        "uniform\n");
  for (const char* planner : {"qmdp", "sarsop"}) {
    const Outcome outcome =
        run({"solve", "dense.pomdp", "--planner", planner, "--memory", "500", "--out", "r"});
    EXPECT_EQ(outcome.status, 2);
    for (const char* words : {"action 0: 64000000 combinations", "--memory"}) {
      EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
    }
#ifndef BPO_SANITIZED
    if (*kEmulator == '\0') EXPECT_LT(outcome.peak_mb, 100);
#endif
    EXPECT_FALSE(fs::exists(path("r")));
  }
  expect_refused({"solve", "rocksample", "--planner", "fib", "--set", "problem.n=7", "--set",
                  "problem.k=8", "--memory", "1", "--out", "r"},
                 2, {"values of 12800 states under 13 actions", "--memory"});
}

/// Bounds are of a problem that goes on, and a simulation of it ends: where what it lacks may
/// matter the two are not compared.
TEST_F(SolveTest, BoundsAreNotComparedWithEpisodesThatAreCutOff) {
  const std::string slow =
      "discount: 0.9999\nstates: 2\nactions: 2\nobservations: 2\nT: 0 identity\nT: 1 uniform\n"
      "O: * uniform\nR: 0 : 0 : * : * 1\nstart: 1 0\n";
  spill(path("slow.pomdp"), slow);
  const Outcome solved = run({"solve", "slow.pomdp", "--planner", "sarsop", "--seconds", "0.5",
                              "--out", "s", "--episodes", "20"});
  ASSERT_EQ(solved.status, 0) << solved.err;
  EXPECT_NE(solved.out.find("rewards still weigh 0.951"), std::string::npos) << solved.out;
  const json told = run_json({"eval", "s", "--episodes", "20"});
  EXPECT_NEAR(told["cut_weight"].get<double>(), std::pow(0.9999, 500), 1e-12);
  EXPECT_NEAR(told["upper"].get<double>(), 10000.0, 2.0) << "for ever";
  EXPECT_NEAR(told["mean"].get<double>(), (1.0 - std::pow(0.9999, 500)) * 1e4, 1e-6) << "500 steps";
  const Outcome compared = run({"compare", "s", "s", "--episodes", "20"});
  EXPECT_EQ(compared.out.find("optimum"), std::string::npos) << compared.out;
  EXPECT_NE((compared.out + compared.err).find("there is no gap to tell"), std::string::npos);
  EXPECT_TRUE(
      run_json({"compare", "s", "--episodes", "20"})["runs"][0]["optimum_minus_this"].is_null());
  // A horizon is planned for as it is simulated.
  const json ends = run_json({"solve", "slow.pomdp", "--planner", "sarsop", "--set",
                              "problem.horizon=10", "--episodes", "20"});
  EXPECT_TRUE(ends["cut_weight"].is_null());
  EXPECT_NEAR(ends["upper"].get<double>(), ends["mean"].get<double>(), 1e-3);
}

TEST_F(SolveTest, BoundsOfAGridAreNotToldAsTheWorlds) {
  const auto solved = [&](const std::string& bins) {
    return run({"solve", "chain", "--planner", "sarsop", "--episodes", "20", "--set",
                "problem.horizon=10", "--set", "problem.bins=" + bins})
        .out;
  };
  const std::string coarse = solved("3");
  EXPECT_NE(coarse.find("of the planner's tables"), std::string::npos) << coarse;
  const Outcome tiger =
      run({"solve", "tiger", "--planner", "sarsop", "--episodes", "20", "--out", "t"});
  EXPECT_EQ(tiger.out.find("of the planner's tables"), std::string::npos) << tiger.out;
  EXPECT_NE(tiger.out.find("bounds "), std::string::npos) << tiger.out;
}

TEST_F(SolveTest, PrintsWithoutADirectory) {
  const Outcome outcome = run(solving());
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("lightdark belief-ilqg seed 0"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("5 episodes"), std::string::npos) << outcome.out;
  EXPECT_FALSE(fs::exists(dir_ / "runs"));
}

TEST_F(SolveTest, RefusesWhatCannotBePlanned) {
  expect_refused({"solve"}, 2, {"solve --help"});
  expect_refused({"solve", "lightdark"}, 2, {"--planner"});
  expect_refused({"solve", "lightdrak", "--planner", "belief-ilqg"}, 2,
                 {"did you mean 'lightdark'"});
  expect_refused({"solve", "lightdark", "--planner", "belief-ilgq"}, 2,
                 {"did you mean 'belief-ilqg'"});
  expect_refused({"solve", "tiger", "--planner", "belief-ilqg", "--out", "p"}, 2,
                 {"belief moves as a vector (lightdark)", "tiger"});
  expect_refused(solving({"--set", "planner.rollouts=0"}), 2, {"planner.rollouts"});
  expect_refused(solving({"--set", "planner.gueses=3"}), 2, {"did you mean 'planner.guesses'"});
  expect_refused(solving({"--set", "algo.hidden=32"}), 2, {"algo.hidden"});
  expect_refused(solving({"--episodes", "0"}), 2, {"--episodes"});
  expect_refused({"train", "lightdark", "--set", "run.algorithm=belief-ilqg"}, 2, {"bpo solve"});
  EXPECT_FALSE(fs::exists(dir_ / "p"));
}

TEST_F(SolveTest, KeepsARunThatIsThere) {
  ASSERT_EQ(run(training("tiger", "r", 2)).status, 0);
  expect_refused(solving({"--out", "r"}), 2, {"--force"});
  EXPECT_EQ(run(solving({"--out", "r", "--force"})).status, 0);
  EXPECT_FALSE(fs::exists(dir_ / "r" / "policy.safetensors"));
  EXPECT_EQ(run_json({"eval", "r", "--episodes", "2"})["algorithm"], "belief-ilqg");
}

TEST_F(SolveTest, PlannersAreListed) {
  EXPECT_GT(run_json({"list"})["planners"].size(), 0u);
  EXPECT_NE(run({"list", "planners"}).out.find("belief-ilqg"), std::string::npos);
  EXPECT_NE(run({"list", "--options", "belief-ilqg"}).out.find("planner.rollouts"),
            std::string::npos);
  expect_refused({"list", "--options", "belief-ilgq"}, 2, {"did you mean 'belief-ilqg'"});
}

}  // namespace
}  // namespace bpo::cli
