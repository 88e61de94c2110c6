#include "bpo/runs/sweep_file.h"

#include <gtest/gtest.h>

#include "bpo/core/error.h"

namespace bpo {
namespace {

TEST(SweepFile, IsProblemsMethodsGridsAndSeeds) {
  const SweepFile file = parse_sweep(
      "problems = [\"tiger\", \"chain\"]\nmethods = \"bpo\"\nseeds = [3, 5]\n"
      "[set]\nalgo.iterations = 4\n\"algo.whiten\" = true\n"
      "[grid]\noptimizer.kl = [0.01, 0.025]\noptimizer.kind = [\"trpo\", \"ppo\"]\n",
      "s.toml");
  EXPECT_EQ(file.problems, (std::vector<std::string>{"tiger", "chain"}));
  EXPECT_EQ(file.methods, (std::vector<std::string>{"bpo"}));
  EXPECT_EQ(file.seeds, (std::vector<std::int64_t>{3, 5}));
  EXPECT_EQ(file.sets, (std::vector<std::string>{"algo.iterations=4", "algo.whiten=true"}));
  const auto combinations = file.combinations();
  ASSERT_EQ(combinations.size(), 4u);
  EXPECT_EQ(combinations[1],
            (std::vector<std::string>{"optimizer.kind=trpo", "optimizer.kl=0.025"}));
  EXPECT_EQ(file.runs(), 16u);
}

TEST(SweepFile, HasDefaults) {
  const SweepFile file = parse_sweep("problems = \"tiger\"", "s.toml");
  EXPECT_EQ(file.methods, (std::vector<std::string>{"bpo"}));
  EXPECT_EQ(file.seeds, (std::vector<std::int64_t>{0}));
  EXPECT_EQ(file.runs(), 1u);
}

void expect_refused(const std::string& text, const std::string& words) {
  try {
    parse_sweep(text, "s.toml");
    ADD_FAILURE() << text << " was read";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBadInput);
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(SweepFile, RefusesWithThePlace) {
  expect_refused("", "problems is missing");
  expect_refused("problems = []", "s.toml:1:12: problems is empty");
  expect_refused("problems = 3", "list of texts");
  expect_refused("problem = \"tiger\"", "did you mean 'problems'");
  expect_refused("problems = [\"a\", \"a\"]", "'a' twice");
  expect_refused("problems = \"a\"\nseeds = 0", "s.toml:2:9: seeds must be a whole number");
  expect_refused("problems = \"a\"\nseeds = [1, 1]", "same seed twice");
  expect_refused("problems = \"a\"\nseeds = [-1]", "from 0 on");
  expect_refused("problems = \"a\"\n[grid]\nx.y = 3", "x.y must be a list");
  expect_refused("problems = \"a\"\n[grid]\nx.y = [[1]]", "x.y must be a number");
  expect_refused("problems = \"a\"\n[set]\nx.y = 2020-01-01", "x.y must be a number");
  expect_refused("problems = \"a\"\nseeds = 100000\n[grid]\nx.y = [1, 2]", "200000 runs");
}

}  // namespace
}  // namespace bpo
