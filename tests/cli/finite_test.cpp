// Finite problems on the command line: files checked, written, trained on, played by their names.
#include <fmt/format.h>

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

/// A small POMDPX file whose one variable has this many values.
std::string pomdpx(const std::string& variables, const std::string& start, const std::string& moves,
                   const std::string& actions = "<NumValues>1000</NumValues>") {
  return "<pomdpx><Discount>0.9</Discount>\n<Variable>" + variables +
         "<ObsVar vname='o'><NumValues>2</NumValues></ObsVar>\n<ActionVar vname='a'>" + actions +
         "</ActionVar><RewardVar vname='r'/></Variable>\n<InitialStateBelief>" + start +
         "</InitialStateBelief>\n<StateTransitionFunction>" + moves +
         "</StateTransitionFunction>\n<ObsFunction><CondProb><Var>o</Var><Parent>a</Parent>\n"
         "<Parameter><Entry><Instance>* -</Instance><ProbTable>uniform</ProbTable></Entry>"
         "</Parameter></CondProb></ObsFunction>\n<RewardFunction></RewardFunction></pomdpx>\n";
}
std::string state_variable(const std::string& name, int values) {
  return fmt::format(
      "<StateVar vnamePrev='{0}_0' vnameCurr='{0}_1'><NumValues>{1}</NumValues></StateVar>\n", name,
      values);
}
std::string begins(const std::string& name) {
  return fmt::format(
      "<CondProb><Var>{}_0</Var><Parent>null</Parent><Parameter><Entry><Instance>-</Instance>"
      "<ProbTable>uniform</ProbTable></Entry></Parameter></CondProb>\n",
      name);
}
std::string moves(const std::string& name, const std::string& parents, const std::string& instance,
                  const std::string& numbers) {
  return fmt::format(
      "<CondProb><Var>{}_1</Var><Parent>{}</Parent>\n<Parameter><Entry><Instance>{}</Instance>"
      "<ProbTable>{}</ProbTable></Entry></Parameter></CondProb>\n",
      name, parents, instance, numbers);
}

TEST_F(FiniteTest, SmallFilesThatAskForMuchAreRefusedBeforeTheyGetIt) {
  const auto one = [&](int states) {
    return pomdpx(state_variable("s", states), begins("s"),
                  moves("s", "a s_0", "* - -", "identity"));
  };
  spill(path("two-million.pomdpx"), one(2000000));
  std::string variables, start, all, bits, bit_starts, bit_moves;
  for (int i = 0; i < 40; ++i) {
    const std::string name = "v" + std::to_string(i);
    variables += state_variable(name, 2000000);
    start += begins(name);
    all += moves(name, name + "_0", "- -", "identity");
  }
  spill(path("forty.pomdpx"), pomdpx(variables, start, all));
  spill(path("pairs.pomdpx"),
        pomdpx(state_variable("s", 200000), begins("s"), moves("s", "a s_0", "* - -", "identity"),
               "<NumValues>200</NumValues>"));
  spill(path("actions.pomdpx"),
        pomdpx(state_variable("s", 2), begins("s"), moves("s", "a s_0", "* - -", "identity"),
               "<NumValues>2000000</NumValues>"));
  // Names of all combinations: twenty long ones, a million times.
  std::string parents = "a", instance = "-";
  for (int i = 0; i < 20; ++i) {
    const std::string name = std::string(250, 'n') + std::to_string(i);
    bits += state_variable(name, 2);
    bit_starts += begins(name);
    bit_moves += moves(name, name + "_0", "- -", "identity");
  }
  spill(path("names.pomdpx"), pomdpx(bits, bit_starts, bit_moves, "<NumValues>2</NumValues>"));
  // A table for each action, with a row for what was and for what is.
  bits = bit_starts = bit_moves = "";
  for (int i = 0; i < 16; ++i) {
    const std::string name = "b" + std::to_string(i);
    bits += state_variable(name, 2);
    bit_starts += begins(name);
    if (i < 15) bit_moves += moves(name, name + "_0", "- -", "identity");
    parents += " " + name + "_0" + (i < 6 ? " " + name + "_1" : "");
    instance += i < 6 ? " - -" : " -";
  }
  bit_moves += moves("b15", parents, instance + " -", "uniform");
  spill(path("rows.pomdpx"), pomdpx(bits, bit_starts, bit_moves, "<NumValues>200</NumValues>"));
  // A row that stands for every row, in tables that other rules make large.
  const auto repeated = [&](int values, int actions) {
    std::string row, more;
    for (int i = 0; i < values; ++i) row += "1 ";
    for (int a = 0; a < actions; ++a) {
      more +=
          fmt::format("<Entry><Instance>a{} s0 s0</Instance><ProbTable>1</ProbTable></Entry>\n", a);
    }
    std::string move = moves("s", "a s_0", "* * -", row);
    move.insert(move.find("</Parameter>"), more);
    return pomdpx(state_variable("s", values), begins("s"), move, "<NumValues>10</NumValues>");
  };
  spill(path("repeated.pomdpx"), repeated(8000, 1));
  spill(path("by-action.pomdpx"), repeated(3000, 10));
  const auto pomdp = [](int states, const std::string& moves) {
    return fmt::format(
        "discount: 0.9\nstates: {}\nactions: 10\nobservations: 2\nstart exclude: 0\n{}\n"
        "O: * uniform\n",
        states, moves);
  };
  std::string row;
  for (int i = 0; i < 3000; ++i) row += " 0.00033333";
  spill(path("reset.pomdp"), pomdp(20000, "T: * reset"));
  spill(path("far-reset.pomdp"), pomdp(2000000, "T: * reset"));
  spill(path("row.pomdp"), pomdp(3000, "T: * : *" + row));
  spill(path("cells.pomdp"), pomdp(2000000, "T: * : * : 0 1\nT: * : * : 1 1\nT: * : * : 2 1"));
  // Rewards of what is observed, of which there are as many combinations.
  spill(path("rewards.pomdp"),
        "discount: 0.9\nstates: 800\nactions: 1\nobservations: 800\nT: * uniform\nO: * uniform\n"
        "R: 0 : * : 3 : 3 1\n");
  std::string paid = pomdpx(state_variable("s", 800), begins("s"),
                            moves("s", "a s_0", "* - -", "uniform"), "<NumValues>1</NumValues>");
  paid.replace(paid.find("Values>2<"), 9, "Values>800<");
  paid.insert(paid.find("</RewardFunction>"),
              "<Func><Var>r</Var><Parent>s_1 o</Parent><Parameter><Entry><Instance>s3 o3</Instance>"
              "<ValueTable>1</ValueTable></Entry></Parameter></Func>");
  spill(path("rewards.pomdpx"), paid);
  const std::vector<std::pair<std::string, std::string>> cases{
      {"rewards.pomdp", ":7:1: rewards depend on what is observed, and 512000000 combinations"},
      {"rewards.pomdpx", ":2:1: rewards depend on what is observed, and 512000000 combinations"},
      {"reset.pomdp", ":8:1: T: more than 40000000 probabilities of 20000 states are not zero"},
      {"far-reset.pomdp", ":8:1: T: more than 40000000 probabilities of 2000000 states"},
      {"row.pomdp", ":8:1: T: more than 40000000 probabilities of 3000 states are not zero"},
      {"cells.pomdp", ":10:1: T: more than 40000000 probabilities of 2000000 states"},
      {"repeated.pomdpx", ": s_1: stands for more than 40000000 numbers"},
      {"by-action.pomdpx", ": s_1: stands for more than 40000000 numbers"},
      {"two-million.pomdpx", ":2:1: 2000000 states x 1000 actions and 2 observations are too many"},
      {"forty.pomdpx",
       ":2:1: 1.09951163e+252 states x 1000 actions and 2 observations are too many"},
      {"pairs.pomdpx", ":2:1: 200000 states x 200 actions and 2 observations are too many"},
      {"actions.pomdpx", ":2:1: 2 states x 2000000 actions and 2 observations are too many"},
      {"names.pomdpx", ":2:1: the names of all combinations would take"},
      {"rows.pomdpx", ": b15_1: stands for more than 40000000 numbers"}};
  for (const auto& [file, message] : cases) {
    EXPECT_LT(fs::file_size(path(file)), 40000u);
    const Outcome outcome = run({"check", file}, [] {
#ifndef BPO_SANITIZED
      const rlimit most{rlim_t{400} << 20, rlim_t{400} << 20};
      if (*kEmulator == '\0') ::setrlimit(RLIMIT_AS, &most);
#endif
    });
    EXPECT_EQ(outcome.status, 2) << file << ": " << outcome.err;
    EXPECT_NE(outcome.err.find(file), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
    if (*kEmulator == '\0') EXPECT_LT(outcome.peak_mb, 100) << file;
  }
}

TEST_F(FiniteTest, CheckLooksAtPomdpxAsClosely) {
  const std::string fine =
      pomdpx(state_variable("s", 3), begins("s"),
             "<CondProb><Var>s_1</Var><Parent>a s_0</Parent>\n<Parameter>"
             "<Entry><Instance>* - -</Instance><ProbTable>identity</ProbTable></Entry>\n"
             "<Entry><Instance>stay - -</Instance><ProbTable>identity</ProbTable></Entry>\n"
             "</Parameter></CondProb>\n",
             "<ValueEnum>go stay</ValueEnum>");
  spill(path("p.pomdpx"), fine);
  const Outcome odd = run({"check", "p.pomdpx"});
  EXPECT_EQ(odd.status, 0) << odd.err;
  for (const char* line : {"p.pomdpx: 3 states, 2 actions, 2 observations, discount 0.9\n",
                           "action stay does what go does\n"}) {
    EXPECT_NE(odd.out.find(line), std::string::npos) << odd.out;
  }
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = fine;
    text.replace(text.find(from), from.size(), to);
    spill(path("q.pomdpx"), text);
    return run({"check", "q.pomdpx"});
  };
  const Outcome unreachable =
      changed("<Instance>-</Instance><ProbTable>uniform", "<Instance>-</Instance><ProbTable>1 0 0");
  EXPECT_NE(unreachable.out.find("states that cannot be reached: 2 (s1, s2)"), std::string::npos)
      << unreachable.out;
  const Outcome wrong = changed("stay - -</Instance><ProbTable>identity",
                                "stay - -</Instance><ProbTable>1 0 0 0 1 0 0 0.5 0.4");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.out.find("q.pomdpx:9:37: error: s_1, action stay, s_0 = s2: the probabilities "
                           "sum to 0.9, not 1\n"),
            std::string::npos)
      << wrong.out;
  const json told = json::parse(run({"check", "q.pomdpx", "--json"}).out);
  EXPECT_EQ(told["ok"], false);
  EXPECT_EQ(told["wrong"], 1);
  EXPECT_EQ(told["remarks"][0]["line"], 9);
  const Outcome scaled = changed("stay - -</Instance><ProbTable>identity",
                                 "stay - -</Instance><ProbTable>1 0 0 0 1 0 0 0 0.99999");
  EXPECT_EQ(scaled.status, 0);
  EXPECT_NE(scaled.out.find("; they were scaled"), std::string::npos) << scaled.out;
}

TEST_F(FiniteTest, EveryMethodTrainsOnAFile) {
  write("mine.pomdp");
  const json methods = run_json({"list"})["algorithms"];
  EXPECT_GE(methods.size(), 7u);
  for (const json& method : methods) {
    const std::string name = method["name"];
    const Outcome trained = run(training("mine.pomdp", name, 1, {"--algo", name}));
    EXPECT_EQ(trained.status, 0) << name << ": " << trained.err;
    EXPECT_EQ(run_json({"eval", name, "--episodes", "20"})["algorithm"], name);
  }
}

TEST_F(FiniteTest, EndingsMayBeLarge) {
  write("LOUD.POMDP");
  EXPECT_EQ(run_json({"check", "LOUD.POMDP"})["states"], 2);
  ASSERT_EQ(run(training("LOUD.POMDP", "r", 1)).status, 0);
  EXPECT_EQ(run_json({"eval", "r", "--episodes", "5"})["episodes"], 5);
  ASSERT_EQ(run({"write-problem", "LOUD.POMDP", "Loud.PomdpX"}).status, 0);
  EXPECT_EQ(run_json({"check", "Loud.PomdpX"})["states"], 2);
}

TEST_F(FiniteTest, AFileOfManyObservationsIsReadAndAHugeOneRefused) {
  spill(path("many.pomdp"),
        "discount: 0.9\nstates: 1\nactions: 1\nobservations: 1000000\nT: 0 identity\n"
        "O: 0 : 0 : 999999 1\n");
  EXPECT_EQ(run_json({"check", "many.pomdp"})["observations"], 1000000);
  spill(path("huge.pomdp"), "");
  fs::resize_file(path("huge.pomdp"), 90'000'001);
  expect_refused({"check", "huge.pomdp"}, 2, {"huge.pomdp", "90000000 bytes"});
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
  for (const std::string ending : {".pomdp", ".pomdpx"}) {
    for (const std::string name : {"tiger", "rocksample"}) {
      const std::string file = name + "-9" + ending;
      ASSERT_EQ(run({"write-problem", name, file, "--set", "horizon=9"}).status, 0);
      EXPECT_NE(slurp(path(file)).find("Episodes have 9 steps"), std::string::npos) << file;
      EXPECT_EQ(run({"check", file}).status, 0) << "a comment changes nothing";
    }
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
