// What a POMDPX file says beside what the reader asks for, or twice: it is refused with its place,
// but for what the format's schema allows.
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

/// What the reader does not ask for, or would find twice, is not passed over.
TEST(PomdpxShape, WhatHasNoPlaceIsRefused) {
  const std::string values = "<ValueEnum>left right</ValueEnum>";
  const auto twice_in_dag = diagram("<Terminal>1</Terminal><Terminal>0</Terminal>");
  const auto templates = [](const std::string& second) {
    std::string text = diagram("<SubDAG type=\"template\" idref=\"q\"/>");
    const std::string one = "<Terminal>1</Terminal></SubDAGTemplate>";
    return text.replace(
        text.find("</Parameter>"), 0,
        "\n<SubDAGTemplate id=\"q\">" + one + "\n<SubDAGTemplate id=\"" + second + "\">" + one);
  };
  const std::vector<Change> changes{
      {"</pomdpx>", kRewards + "</pomdpx>", "17:1: a second <RewardFunction> in one <pomdpx>"},
      {"</Discount>\n", "</Discount> <Discount>0.8</Discount>\n",
       "2:26: a second <Discount> in one <pomdpx>"},
      {"</Parameter></Func>", "</Parameter><Parameter/></Func>",
       "16:93: a second <Parameter> in one <Func>"},
      {"<ProbTable>identity</ProbTable>",
       "<ProbTable>identity</ProbTable><ProbTable>uniform</ProbTable>",
       "12:87: a second <ProbTable> in one <Entry>"},
      {"<ProbTable>identity</ProbTable>",
       "<ProbTable>identity</ProbTable><ValueTable>1</ValueTable>",
       "12:23: an <Entry> needs an <Instance> and a <ProbTable>"},
      {values, values + "<NumValues>2</NumValues>",
       "4:76: <StateVar> holds one of ValueEnum, NumValues, and <NumValues> is one more"},
      {values, values + values, "4:76: a second <ValueEnum> in one <StateVar>"},
      {"vnameCurr=\"s_1\"", "vnameCurr=\"s_1\" fullyobs=\"true\"",
       "4:1: fullyobs=\"true\" is no attribute of <StateVar> (did you mean 'fullyObs'?); there "
       "are: "
       "vnamePrev, vnameCurr, fullyObs"},
      {"<Discount>", "<Discount per=\"step\">",
       "2:1: per=\"step\" is no attribute of <Discount>; there is none"},
      {"<Variable>\n", "<Variable>\n  two words\n",
       "4:3: 'two' is text, which has no place in <Variable>"},
      {"<RewardVar vname=\"r\"/>", "<RewardVar vname=\"r\">1</RewardVar>",
       "7:22: '1' is text, which has no place in <RewardVar>"},
      {"</ObsVar>", "<Bar/></ObsVar>",
       "5:52: <Bar> is no part of <ObsVar>; there are: ValueEnum, NumValues"},
      {"<Parent>null</Parent>", "<Parents>null</Parents>",
       "9:45: <Parents> is no part of <CondProb> (did you mean 'Parent'?); there are: Var, Parent, "
       "Parameter"},
      {"<Discount>0.9", "<Discount>0.9<b/>", "2:14: <b> is no part of <Discount>; there is none"},
      {kMoves, twice_in_dag, "12:49: a second <Terminal> in one <DAG>"},
      {kMoves,
       diagram("<Node var=\"a\"><Edge val=\"*\"><Terminal>1</Terminal><SubDAG/></Edge></Node>"),
       "12:77: <Edge> holds one of Node, Terminal, SubDAG, and <SubDAG> is one more"},
      {kMoves, templates("q"), "14:1: there are two <SubDAGTemplate>s 'q'"},
      {kMoves,
       "<StateTransitionFunction><CondProb><Var>s_1</Var><Parent>a s_0</Parent>\n<Parameter "
       "type=\"DD\"><DAG/><Entry/></Parameter></CondProb></StateTransitionFunction>\n",
       "12:28: <Entry> is no part of a DD"},
  };
  for (const auto& [from, to, message] : changes) {
    std::string text = kGood;
    ASSERT_NE(text.find(from), std::string::npos) << from;
    text.replace(text.find(from), from.size(), to);
    EXPECT_EQ(refusal_of(text), "p:" + message) << to;
  }
}

/// What the format's own schema and other programs' files add.
TEST(PomdpxShape, WhatMayStandBesideIsRead) {
  const std::vector<std::pair<std::string, std::string>> changes{
      {"<pomdpx version=\"1.0\">",
       "<?xml version='1.0'?><pomdpx version='0.1' id='x' xmlns:xsi='http://schema' "
       "xsi:noNamespaceSchemaLocation='pomdpx.xsd' xmlns='http://other'>"},
      {"<Discount>0.9", "<Description lang=\"en\">A <b>room</b></Description><Discount>0.9"},
      {"<Discount>0.9", "<Discount>+0.9"},
      {"<Variable>", "<Variable><!-- what there is -->"},
      {"<RewardVar vname=\"r\"/>", "<RewardVar vname=\"r\"> \n </RewardVar>"},
      {"<ValueTable>1<", "<ValueTable>+1<"},
      {kMoves, diagram("<SubDAG type=\"uniform\" var=\"s_1\"/>")},
  };
  for (const auto& [from, to] : changes) {
    std::string text = kGood;
    ASSERT_NE(text.find(from), std::string::npos) << from;
    text.replace(text.find(from), from.size(), to);
    EXPECT_EQ(refusal_of(text), "accepted") << to;
  }
}

}  // namespace
}  // namespace bpo
