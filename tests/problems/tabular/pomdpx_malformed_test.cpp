// Files that are not quite POMDPX: each is refused with its place and what would work.
#include <gtest/gtest.h>

#include "tests/problems/tabular/pomdpx_text.h"

namespace bpo {
namespace {

using test::Change;
using test::diagram;
using test::kGood;
using test::kMoves;
using test::kRewards;
using test::refusal_of;

TEST(PomdpxMalformed, IsRefusedWithItsPlace) {
  const std::vector<Change> changes{
      {"<Discount>0.9</Discount>\n", "", "1:1: <Discount> is missing"},
      {"<Discount>0.9", "<Discount>2", "2:1: <Discount> must be a number in [0, 1]"},
      {kRewards, "", "1:1: <RewardFunction> is missing"},
      {"</pomdpx>", "<Horizon>3</Horizon></pomdpx>",
       "17:1: <Horizon> is no part of <pomdpx>; there are: Description, Discount, Variable, "
       "InitialStateBelief, StateTransitionFunction, ObsFunction, RewardFunction"},
      {"<ValueEnum>left right</ValueEnum>", "",
       "4:1: a <StateVar> needs a <ValueEnum> with names or a <NumValues>"},
      {"<ValueEnum>left right</ValueEnum>", "<NumValues>0</NumValues>",
       "4:43: <NumValues> must be a whole number from 1 to 2000000"},
      {"<ValueEnum>left right</ValueEnum>", "<NumValues>1e9</NumValues>",
       "4:43: <NumValues> must be a whole number from 1 to 2000000"},
      {"left right", "left left", "4:43: 'left' is there twice"},
      {"left right", "left *", "4:43: '*' is a sign of the format and no value"},
      {"vname=\"o\"", "vname=\"s_1\"", "5:1: there are two variables 's_1'"},
      {" vnameCurr=\"s_1\"", "", "4:1: a <StateVar> needs vnameCurr=\"...\""},
      {"vnameCurr=\"s_1\"", "vnameCurr=\"s_1\" fullyObs=\"yes\"",
       "4:1: fullyObs=\"yes\" must be true or false"},
      {"<RewardVar vname=\"r\"/>", "<ActionVar vname=\"b\"><NumValues>2</NumValues></ActionVar>",
       "7:1: a second <ActionVar>; there can be one, with a value for each choice"},
      {"<RewardVar", "<CostVar",
       "7:1: <CostVar> is no part of <Variable>; there are: StateVar, ObsVar, ActionVar, "
       "RewardVar"},
      {"<Parent>a s_0</Parent>", "<Parent>a s_2</Parent>", "11:50: 's_2' is no variable"},
      {"<Parent>a s_0</Parent>", "<Parent>a o</Parent>", "11:50: 'o' cannot be a parent here"},
      {"<Parent>a s_0</Parent>", "<Parent>a a</Parent>", "11:50: 'a' is there twice"},
      {"<Parent>a s_0</Parent>", "<Parent>a s_1</Parent>", "11:26: 's_1' is its own parent"},
      {"<Parent>a s_0</Parent>", "", "11:26: a <CondProb> needs a <Parent>, which may be null"},
      {"<Parent>null</Parent>", "<Parent>a</Parent>", "9:45: 'a' cannot be a parent here"},
      {"<Parent>a s_1</Parent>", "<Parent>a s_0</Parent>", "13:36: 's_0' cannot be a parent here"},
      {"<Var>s_1", "<Var>s_0", "11:36: 's_0' is no variable of <StateTransitionFunction>"},
      {"<Var>s_1</Var>", "", "11:26: a <CondProb> needs one <Var>"},
      {kMoves, "<StateTransitionFunction/>", "11:1: there is no <CondProb> of 's_1'"},
      {kMoves,
       "<StateTransitionFunction><CondProb><Var>s_1</Var><Parent>a s_0</Parent>\n<Parameter "
       "type=\"TBL\"><Entry><Instance>* - "
       "-</Instance><ProbTable>identity</ProbTable></Entry></Parameter></"
       "CondProb><CondProb><Var>s_1</Var><Parent>null</Parent><Parameter><Entry><Instance>-</"
       "Instance><ProbTable>uniform</ProbTable></Entry></Parameter></CondProb></"
       "StateTransitionFunction>\n",
       "12:118: 's_1' is told twice"},
      {"* - -", "* -", "12:30: an instance of 2 values, and there are 3 variables: a s_0 s_1"},
      {"* - -", "run - -", "12:30: 'run' is no value of a"},
      {"identity", "1 0 1", "12:56: 3 numbers, and the instance asks for 4"},
      {"identity", "1 0 0 one", "12:56: 'one' is no number"},
      {"identity", "1 0 0 1.5", "12:56: '1.5' is no probability: it must be in [0, 1]"},
      {"identity", "1 0 0 nan", "12:56: 'nan' is no number"},
      {"* - -", "* * -",
       "12:56: identity needs '-' for the variable and for one parent with as many values"},
      {"<Instance>* - -</Instance><ProbTable>identity",
       "<Instance>* * left</Instance><ProbTable>uniform",
       "12:59: uniform needs '-' or '*' for the variable"},
      {"identity", "1 0 0 0.5",
       "12:56: s_1, action go, s_0 = right: the probabilities sum to 0.5, not 1 (and 1 more; `bpo "
       "check p` lists them)"},
      {"* - -", "go - -", "11:26: s_1, action stay: no probabilities are given"},
      {"<ProbTable>0.5 0.5", "<ProbTable>0.5 0.4",
       "10:52: s_0: the probabilities sum to 0.9, not 1"},
      {"type=\"TBL\"", "type=\"TREE\"",
       "10:1: type=\"TREE\" is no parameter; there are TBL and DD"},
      {"<ProbTable>0.5 0.5</ProbTable>", "",
       "10:23: an <Entry> needs an <Instance> and a <ProbTable>"},
      {kMoves, diagram("<Node var=\"x\"/>"),
       "12:27: 'x' is neither the variable nor one of its parents"},
      {kMoves, diagram("<Node var=\"a\"><Edge/></Node>"),
       "12:41: a <Node> holds <Edge val=\"...\">"},
      {kMoves, diagram("<Node var=\"a\"><Edge val=\"run\"/></Node>"),
       "12:41: 'run' is no value of a"},
      {kMoves, diagram("<SubDAG type=\"template\" idref=\"q\"/>"),
       "12:27: there is no <SubDAGTemplate> with this idref"},
      {kMoves, diagram("<SubDAG type=\"persistent\" var=\"s_0\"/>"),
       "12:27: a persistent <SubDAG> is of the variable itself"},
      {kMoves, diagram("<SubDAG type=\"deterministic\" var=\"s_1\"/>"),
       "12:27: a deterministic <SubDAG> needs a val"},
      {kMoves, diagram("<SubDAG type=\"sometimes\" var=\"s_1\"/>"),
       "12:27: a <SubDAG> is deterministic, persistent, uniform or a template"},
      {kMoves, diagram("<Terminal>1 2</Terminal>"), "12:27: a <Terminal> holds one number"},
      {kMoves, diagram("<Leaf>1</Leaf>"),
       "12:27: <Leaf> is no part of <DAG>; there are: Node, Terminal, SubDAG"},
      {kMoves,
       "<StateTransitionFunction><CondProb><Var>s_1</Var><Parent>a s_0</Parent>\n<Parameter "
       "type=\"DD\"></Parameter></CondProb></StateTransitionFunction>\n",
       "12:1: a DD needs a <DAG>"},
      {"<Var>r", "<Var>q", "15:23: a <Func> needs a <Var> that is a <RewardVar>"},
      {"<ValueTable>1<", "<ValueTable>1e200<", "16:47: '1e200' is too large for a reward"},
      {"</Discount>", "</discount>", "2:16: not XML: mismatched tag"},
      {"<Func>", "<Function>x</Function><Func>",
       "15:17: <Function> is no part of <RewardFunction>; there is: Func"},
      {"<Discount>0.9", "<Discount>+-0.9", "2:1: <Discount> must be a number in [0, 1]"},
      {"<ValueTable>1<", "<ValueTable>+-1<", "16:47: '+-1' is no number"},
  };
  EXPECT_EQ(refusal_of(kGood), "accepted");
  for (const auto& [from, to, message] : changes) {
    std::string text = kGood;
    ASSERT_NE(text.find(from), std::string::npos) << from;
    text.replace(text.find(from), from.size(), to);
    EXPECT_EQ(refusal_of(text), "p:" + message) << to;
  }
}

TEST(PomdpxMalformed, WhatIsNoXmlIsRefused) {
  EXPECT_EQ(refusal_of(""), "p:1:1: not XML: no element found");
  EXPECT_EQ(refusal_of("<pomdpx>"), "p:1:9: not XML: no element found");
  EXPECT_EQ(refusal_of("<a></b>"), "p:1:6: not XML: mismatched tag");
  EXPECT_EQ(refusal_of("<pomdp/>"), "p:1:1: the root of a POMDPX file is <pomdpx>, not <pomdp>");
  EXPECT_EQ(refusal_of("<!DOCTYPE pomdpx [<!ENTITY a \"b\">]><pomdpx/>"),
            "p:1:18: a document type (<!DOCTYPE ...>) has no place here; leave it out");
  std::string deep;
  for (int i = 0; i < 300; ++i) deep += "<a>";
  EXPECT_EQ(refusal_of(deep), "p:1:601: elements are nested more than 200 deep");
}

TEST(PomdpxMalformed, SizesAreCheckedBeforeMemoryIsTaken) {
  const auto said = [](const std::string& from, const std::string& to, const TableLimits& limits) {
    std::string text = kGood;
    text.replace(text.find(from), from.size(), to);
    try {
      read_pomdpx(text, "p", limits);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  const std::string values = "<ValueEnum>left right</ValueEnum>";
  EXPECT_EQ(said(values, "<NumValues>101</NumValues>", {.states = 100}),
            "p:4:43: <NumValues> must be a whole number from 1 to 100");
  EXPECT_EQ(said(values, values, {.states = 100, .pairs = 3}),
            "p:3:1: 2 states x 2 actions and 2 observations are too many: at most 100 states, 3 "
            "pairs of a state and an action, 10 actions, 100 observations");
  const std::string acts = "<ValueEnum>go stay</ValueEnum>";
  EXPECT_EQ(said(acts, "<NumValues>11</NumValues>", {.states = 100, .pairs = 150}),
            "p:3:1: 2 states x 11 actions and 2 observations are too many: at most 100 states, 150 "
            "pairs of a state and an action, 10 actions, 100 observations");
  EXPECT_EQ(said("a s_0</Parent>\n<Parameter><Entry><Instance>go left",
                 "a s_0 s_1 o</Parent>\n<Parameter><Entry><Instance>go left left dark",
                 {.states = 100, .pairs = 4}),
            "p:15:17: r: 8 combinations of its parents are too many: at most 4");
  EXPECT_EQ(said("* - -</Instance><ProbTable>identity", "- - -</Instance><ProbTable>uniform",
                 {.states = 100, .pairs = 150, .numbers = 3}),
            "p:11:26: s_1: stands for more than 3 numbers");
  EXPECT_EQ(said(values, values, {.states = 100, .names = 30}),
            "p:3:1: the names of all combinations would take 0 MB, 0 are the limit; shorter names "
            "of variables and values help");
  EXPECT_EQ(said(values, values, {.states = 100, .pairs = 150, .numbers = 6}),
            "p:3:1: more than 6 probabilities are not zero");
  EXPECT_EQ(said("identity", "uniform", {.states = 100, .pairs = 150, .numbers = 3}),
            "p:11:26: s_1: stands for more than 3 numbers");
}

TEST(PomdpxMalformed, ManyVariablesAreRefusedByTheirProduct) {
  std::string variables, start, moves;
  for (int i = 0; i < 20; ++i) {
    const std::string n = std::to_string(i);
    variables += "<StateVar vnamePrev=\"v" + n + "_0\" vnameCurr=\"v" + n +
                 "_1\"><NumValues>100</NumValues></StateVar>";
    start += "<CondProb><Var>v" + n +
             "_0</Var><Parent>null</Parent><Parameter><Entry><Instance>-</Instance>"
             "<ProbTable>uniform</ProbTable></Entry></Parameter></CondProb>";
    moves += "<CondProb><Var>v" + n + "_1</Var><Parent>v" + n +
             "_0</Parent><Parameter><Entry><Instance>- -</Instance>"
             "<ProbTable>identity</ProbTable></Entry></Parameter></CondProb>";
  }
  std::string text = kGood;
  const auto insert = [&](const std::string& before, const std::string& what) {
    text.insert(text.find(before), what);
  };
  insert("<ObsVar", variables);
  insert("</InitialStateBelief>", start);
  insert("</StateTransitionFunction>", moves);
  EXPECT_EQ(refusal_of(text),
            "p:3:1: 2e+40 states x 2 actions and 2 observations are too many: at most 2000000 "
            "states, 20000000 pairs of a state and an action, 200000 actions, 2000000 "
            "observations");
}

TEST(PomdpxMalformed, DiagramsThatUnfoldWithoutEndAreRefused) {
  // Twenty templates, each of which names the next one four times.
  std::string templates;
  for (int i = 0; i < 19; ++i) {
    const std::string next = fmt::format("<SubDAG type=\"template\" idref=\"t{}\"/>", i + 1);
    templates += fmt::format("<SubDAGTemplate id=\"t{}\"><Node var=\"a\">", i);
    for (int n = 0; n < 4; ++n) templates += fmt::format("<Edge val=\"*\">{}</Edge>", next);
    templates += "</Node></SubDAGTemplate>";
  }
  templates += "<SubDAGTemplate id=\"t19\"><Terminal>1</Terminal></SubDAGTemplate>";
  std::string text = kGood;
  text.replace(text.find(kMoves), kMoves.size(),
               "<StateTransitionFunction><CondProb><Var>s_1</Var><Parent>a s_0</Parent>\n"
               "<Parameter type=\"DD\"><DAG><SubDAG type=\"template\" idref=\"t0\"/></DAG>" +
                   templates + "</Parameter></CondProb></StateTransitionFunction>\n");
  EXPECT_NE(refusal_of(text).find("the diagram unfolds to too many nodes"), std::string::npos)
      << refusal_of(text);
}

TEST(PomdpxMalformed, CutAnywhereItIsRefused) {
  for (std::size_t n = 0; n + 1 < kGood.size(); ++n) {
    EXPECT_EQ(refusal_of(kGood.substr(0, n)).substr(0, 2), "p:") << n;
  }
}

TEST(PomdpxMalformed, TemplatesThatStandInEachOtherEnd) {
  std::string text = kGood;
  const std::string loop =
      "<StateTransitionFunction><CondProb><Var>s_1</Var><Parent>a s_0</Parent>"
      "<Parameter type=\"DD\"><DAG><SubDAG type=\"template\" idref=\"q\"/></DAG>"
      "<SubDAGTemplate id=\"q\"><SubDAG type=\"template\" idref=\"q\"/></SubDAGTemplate>"
      "</Parameter></CondProb></StateTransitionFunction>";
  text.replace(text.find(kMoves), kMoves.size(), loop);
  EXPECT_NE(refusal_of(text).find("templates that stand in each other"), std::string::npos)
      << refusal_of(text);
}

}  // namespace
}  // namespace bpo
