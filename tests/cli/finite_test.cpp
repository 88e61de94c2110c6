// Finite problems on the command line: files checked, written, trained on, played by their names.
#include "tests/cli/process.h"

namespace bpo::cli {
namespace {

using nlohmann::json;

class FiniteTest : public CliTest {
 protected:
  void write(const std::string& name, const std::string& from = "", const std::string& to = "") {
    std::string text =
        "discount: 0.9\nstates: left right\nactions: look go wait\nobservations: dark light\n"
        "T: look identity\nT: go uniform\nT: wait identity\nO: * uniform\nO: look\n0.8 0.2\n0.1 "
        "0.9\n"
        "R: look : * : * : * -1\nR: go : left : * : * 5\nR: go : right : * : * -5\n";
    if (!from.empty()) text.replace(text.find(from), from.size(), to);
    spill(path(name), text);
  }
};

TEST_F(FiniteTest, CheckSaysWhatThereIs) {
  write("p.pomdp");
  const Outcome fine = run({"check", "p.pomdp"});
  EXPECT_EQ(fine.status, 0) << fine.err;
  EXPECT_NE(fine.out.find("p.pomdp: 2 states, 3 actions, 2 observations, discount 0.9\n"),
            std::string::npos)
      << fine.out;
  const json all = run_json({"check", "p.pomdp"});
  EXPECT_EQ(all["ok"], true);
  EXPECT_EQ(all["states"], 2);
  EXPECT_EQ(all["transitions"], 8);
  EXPECT_EQ(all["unreachable"], json::array());
}

TEST_F(FiniteTest, CheckListsAllThatIsWrong) {
  write("p.pomdp", "O: * uniform", "O: * : *\n0.5 0.4");
  const Outcome wrong = run({"check", "p.pomdp"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(
      wrong.out.find("p.pomdp:9:1: error: O, action 'go', state 'left': the probabilities sum "
                     "to 0.9, not 1\n"),
      std::string::npos)
      << wrong.out;
  EXPECT_NE(wrong.err.find("4 things are wrong"), std::string::npos) << wrong.err;
  expect_refused({"train", "p.pomdp"}, 2, {"p.pomdp:9:1", "3 more", "bpo check"});
}

TEST_F(FiniteTest, CheckFindsWhatIsOdd) {
  write("p.pomdp", "R: look", "O: wait\n0.8 0.2\n0.1 0.9\nR: look");
  EXPECT_NE(run({"check", "p.pomdp"})
                .out.find("action look is useless: wait does the same and pays no less"),
            std::string::npos);
  write("q.pomdp", "T: go uniform", "start: left\nT: go identity");
  EXPECT_NE(run({"check", "q.pomdp"}).out.find("states that cannot be reached: 1 (right)"),
            std::string::npos);
  EXPECT_NE(run({"check", "rocksample", "--set", "n=3", "--set", "k=2"})
                .out.find("40 states (10 seen x 4 hidden)"),
            std::string::npos);
  expect_refused({"check", "lightdark"}, 2, {"not finite"});
  expect_refused({"check", "tiger", "--set", "doors=3"}, 2, {"problem.doors"});
  expect_refused({"check", "absent.pomdp"}, 5, {"absent.pomdp"});
}

TEST_F(FiniteTest, WhatIsWrittenIsTheSameProblem) {
  for (const std::string ending : {".pomdp", ".pomdpx"}) {
    ASSERT_EQ(run({"write-problem", "tiger", "t" + ending}).status, 0);
    const json tiger = run_json({"check", "t" + ending});
    EXPECT_EQ(tiger["states"], 2);
    EXPECT_EQ(tiger["observations"], 3);
    ASSERT_EQ(
        run({"write-problem", "rocksample", "r" + ending, "--set", "n=4", "--set", "k=3"}).status,
        0);
    EXPECT_EQ(run_json({"check", "r" + ending})["states"], ending == ".pomdp" ? 129 : 136);
  }
  ASSERT_EQ(run({"write-problem", "t.pomdp", "again.pomdpx"}).status, 0);
  EXPECT_EQ(run_json({"check", "again.pomdpx"})["discount"], 0.95);
  expect_refused({"write-problem", "tiger", "t.txt"}, 2, {".pomdp or .pomdpx"});
  EXPECT_FALSE(fs::exists(path("t.txt")));
  expect_refused({"write-problem", "rocksample", "x.pomdp", "--set", "m=4"}, 2, {"problem.m"});
  EXPECT_FALSE(fs::exists(path("x.pomdp")));
}

TEST_F(FiniteTest, ARunOnAFileIsTrainedAndPlayedByItsNames) {
  write("mine.pomdp");
  for (const std::string algo : {"bpo", "up-mle", "oracle"}) {
    const Outcome trained = run(training("mine.pomdp", algo, 2, {"--algo", algo}));
    ASSERT_EQ(trained.status, 0) << trained.err;
  }
  fs::remove(path("mine.pomdp"));
  EXPECT_TRUE(fs::exists(path("bpo/problem.pomdp")));
  const Outcome played = run({"play", "bpo", "--trace", "--set", "problem.horizon=30"});
  ASSERT_EQ(played.status, 0) << played.err;
  for (const char* word : {"left", "right", "dark", "(none yet)"}) {
    EXPECT_NE(played.out.find(word), std::string::npos) << played.out;
  }
  EXPECT_EQ(run({"report", "bpo", "-o", "page.html"}).status, 0);
  EXPECT_NE(slurp(path("page.html")).find("Belief over the hidden state"), std::string::npos);
  EXPECT_EQ(run({"resume", "bpo"}).status, 0);
}

TEST_F(FiniteTest, ABeliefTooLongForANetworkIsRefusedWithAdvice) {
  spill(path("long.pomdp"),
        "discount: 0.9\nstates: 6000\nactions: 1\nobservations: 1\nT: 0 identity\nO: 0 uniform\n");
  expect_refused({"train", "long.pomdp", "--out", "run"}, 2,
                 {"6000 hidden states", "fullyObs", "bpo solve"});
  EXPECT_FALSE(fs::exists(path("run")));
}

}  // namespace
}  // namespace bpo::cli
