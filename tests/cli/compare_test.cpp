// `bpo compare`: equal episodes for all runs, intervals only where there are seeds for them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tests/cli/process.h"

namespace bpo::cli {
namespace {

using nlohmann::json;

class CompareTest : public CliTest {
 protected:
  void train(const std::string& problem, const std::string& out,
             const std::vector<std::string>& more = {}) const {
    const Outcome outcome = run(training(problem, out, 3, more));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
  }
  static std::string line_of(const std::string& text, const std::string& word) {
    const auto at = text.find(word);
    return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
  }
  static double number(const json& j) { return j.get<double>(); }
};

TEST_F(CompareTest, TwoRunsOnCommonEpisodes) {
  train("tiger", "a");
  train("tiger", "b", {"--algo", "epopt", "--seed", "1"});
  const std::vector<std::string> how{"--episodes", "300", "--seed", "9"};
  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.end(), how.begin(), how.end());
    return words;
  };
  const json all = run_json(with({"compare", "a", "b"}));
  EXPECT_EQ(all["episodes"], 300);
  EXPECT_EQ(all["eval_seed"], 9);
  EXPECT_EQ(all["greedy"], false);
  ASSERT_EQ(all["runs"].size(), 2u);
  for (const json& group : all["runs"]) {
    const json alone = run_json(with({"eval", group["run"].get<std::string>()}));
    EXPECT_EQ(group["problem"], "tiger");
    EXPECT_EQ(group["algorithm"], alone["algorithm"]);
    EXPECT_EQ(group["seed_means"], json({alone["mean"]}));
    EXPECT_EQ(group["over_episodes"], json({{"mean", alone["mean"]}, {"ci95", alone["ci95"]}}));
    EXPECT_TRUE(group["over_seeds"].is_null());
  }
  const json &a = all["runs"][0], &b = all["runs"][1], &gap = b["first_minus_this"];
  EXPECT_EQ(a["first_minus_this"], json({{"mean", 0.0}, {"ci95", 0.0}}));
  EXPECT_NE(number(gap["mean"]), 0.0);
  EXPECT_NEAR(number(gap["mean"]),
              number(a["over_episodes"]["mean"]) - number(b["over_episodes"]["mean"]), 1e-9);
  EXPECT_GT(number(gap["ci95"]), 0.0);
  EXPECT_NE(run_json({"compare", "a", "--episodes", "300", "--seed", "8"})["runs"][0]["seed_means"],
            a["seed_means"]);

  const Outcome text = run(with({"compare", "a", "b"}));
  EXPECT_EQ(text.status, 0) << text.err;
  for (const char* words :
       {"bpo", "epopt", "not enough seeds", "tiger: 300 common episodes of seed 9"}) {
    EXPECT_NE(text.out.find(words), std::string::npos) << words << " is not in " << text.out;
  }
}

TEST_F(CompareTest, ARunDoesNotDifferFromItself) {
  train("tiger", "a");
  const json twice = run_json({"compare", "a", "a", "--episodes", "100"})["runs"];
  EXPECT_EQ(twice[1]["first_minus_this"], json({{"mean", 0.0}, {"ci95", 0.0}}));
  EXPECT_EQ(twice[0], twice[1]);
  EXPECT_GT(number(twice[0]["over_episodes"]["ci95"]), 0.0);
  const std::string text = run({"compare", "a", "a", "--episodes", "100"}).out;
  const auto table_end = text.find("\ntiger:");
  ASSERT_NE(table_end, std::string::npos) << text;
  const std::string end = " 0.00 +- 0.00              -  -         -";
  EXPECT_EQ(text.substr(0, table_end).rfind(end), table_end - end.size()) << text;
}

TEST_F(CompareTest, ParentsOfSeedsAreGroups) {
  train("tiger", "two", {"--seeds", "2"});
  train("tiger", "three", {"--seeds", "3"});
  const json all = run_json({"compare", "two", "three", "--episodes", "200"})["runs"];
  EXPECT_TRUE(all[0]["over_seeds"].is_null());
  const auto means = all[1]["seed_means"].get<std::vector<double>>();
  ASSERT_EQ(means.size(), 3u);
  EXPECT_EQ(all[0]["seed_means"], json({means[0], means[1]})) << "seeds 0 and 1 are the same";
  for (int seed = 0; seed < 3; ++seed) {
    const std::string run = "three/seed-" + std::to_string(seed);
    EXPECT_EQ(run_json({"eval", run, "--episodes", "200"})["mean"], means[seed]);
  }
  // Student's t with two degrees of freedom.
  const double mean = (means[0] + means[1] + means[2]) / 3.0;
  double squares = 0.0;
  for (double x : means) squares += (x - mean) * (x - mean);
  EXPECT_GT(squares, 0.0);
  EXPECT_NEAR(number(all[1]["over_seeds"]["mean"]), mean, 1e-9);
  EXPECT_NEAR(number(all[1]["over_seeds"]["ci95"]), 4.3027 * std::sqrt(squares / 2.0 / 3.0), 1e-9);
  EXPECT_NEAR(number(all[1]["over_episodes"]["mean"]), mean, 1e-9);
  EXPECT_NEAR(number(all[1]["first_minus_this"]["mean"]), (means[0] + means[1]) / 2.0 - mean, 1e-9);

  const std::string text = run({"compare", "two", "three", "--episodes", "200"}).out;
  EXPECT_NE(line_of(text, "two ").find("not enough seeds"), std::string::npos) << text;
  EXPECT_EQ(line_of(text, "three ").find("not enough seeds"), std::string::npos) << text;
}

TEST_F(CompareTest, WhatNeedsSeedsIsLeftOutWithoutThem) {
  train("tiger", "two", {"--seeds", "2"});
  train("tiger", "three", {"--seeds", "3"});
  const json all = run_json({"compare", "three", "two", "three", "--episodes", "200"})["runs"];
  for (const char* key :
       {"over_seeds", "better_than_first", "first_minus_this_over_seeds", "hedges_g", "p_holm"}) {
    EXPECT_TRUE(all[1][key].is_null()) << key;
    EXPECT_FALSE(all[2][key].is_null()) << key;
  }
  EXPECT_TRUE(all[2]["iqm_interval"].is_null()) << "a bootstrap wants five";
  EXPECT_EQ(all[2]["hedges_g"], 0.0);
  EXPECT_EQ(all[2]["p_holm"], 1.0);
  EXPECT_TRUE(all[0]["p_holm"].is_null()) << "nothing is compared with itself";
  EXPECT_EQ(all[2]["better_than_first"]["value"], 0.5) << "it is the first";
  EXPECT_EQ(all[2]["first_minus_this_over_seeds"]["mean"], 0.0);
  const double over_seeds = number(all[2]["first_minus_this_over_seeds"]["ci95"]);
  EXPECT_GT(over_seeds, 0.0);
  const std::string text = run({"compare", "three", "two", "three", "--episodes", "200"}).out;
  const std::string shown = fmt::format(" {:.2f}  0.0     1.000", over_seeds);
  const auto table_end = text.find("\ntiger:");
  EXPECT_EQ(text.rfind(shown, table_end), table_end - shown.size()) << text;
  const auto means = all[1]["seed_means"].get<std::vector<double>>();
  EXPECT_DOUBLE_EQ(number(all[1]["iqm"]), (means[0] + means[1]) / 2.0);
  EXPECT_EQ(number(all[1]["best_seed"]), std::max(means[0], means[1]));
}

TEST_F(CompareTest, FormatsForProgramsAndDocuments) {
  train("tiger", "under_score");
  const auto printed = [&](const char* flag) {
    const Outcome outcome = run({"compare", "under_score", "--episodes", "100", flag});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.out;
  };
  const json row = run_json({"compare", "under_score", "--episodes", "100"})["runs"][0];
  const std::string csv = printed("--csv");
  EXPECT_EQ(csv.find("run,problem,method,seeds,mean,"), 0u) << csv;
  EXPECT_EQ(line_of(csv, "under_score,").find("under_score,tiger,bpo,1,"), 0u) << csv;
  const double mean = std::stod(line_of(csv, "bpo,1,").substr(6));
  EXPECT_EQ(mean, number(row["over_episodes"]["mean"])) << "all digits";
  EXPECT_EQ(printed("--markdown").find("| run | method |"), 0u);
  EXPECT_NE(printed("--markdown").find("| under\\_score | bpo | 1 |"), std::string::npos);
  EXPECT_NE(printed("--latex").find("under\\_score & bpo & 1 &"), std::string::npos);
  EXPECT_NE(printed("--latex").find("$\\pm$"), std::string::npos);
  expect_refused({"compare", "under_score", "--csv", "--json"}, 2, {"one of", "--csv"});
}

TEST_F(CompareTest, RefusesWhatCannotBeCompared) {
  train("tiger", "mixed/seed-0");
  train("chain", "mixed/seed-1", {"--set", "problem.horizon=10"});
  expect_refused({"compare", "mixed/seed-0", "mixed/seed-1", "--episodes", "2"}, 2,
                 {"mixed/seed-0 is a run of tiger", "mixed/seed-1 of chain"});
  expect_refused({"compare", "mixed", "--episodes", "2"}, 2, {"tiger", "chain"});
  expect_refused({"eval", "mixed", "--episodes", "2"}, 2,
                 {"mixed/seed-0 is a run of tiger", "mixed/seed-1 of chain"});
  expect_refused({"compare", "mixed/seed-0", "nowhere", "--episodes", "2"}, 2, {"nowhere"});
  expect_refused({"compare"}, 2, {"directories"});
}

}  // namespace
}  // namespace bpo::cli
