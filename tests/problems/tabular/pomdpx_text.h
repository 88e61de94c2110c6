// A POMDPX text that is right, for tests that change it, and what the reader then says.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "bpo/problems/tabular/pomdpx_reader.h"

namespace bpo::test {

inline const std::string kMoves =
    "<StateTransitionFunction><CondProb><Var>s_1</Var><Parent>a s_0</Parent>\n"
    "<Parameter type=\"TBL\"><Entry><Instance>* - "
    "-</Instance><ProbTable>identity</ProbTable></Entry></Parameter></CondProb></"
    "StateTransitionFunction>\n";
inline const std::string kRewards =
    "<RewardFunction><Func><Var>r</Var><Parent>a s_0</Parent>\n"
    "<Parameter><Entry><Instance>go "
    "left</Instance><ValueTable>1</ValueTable></Entry></Parameter></Func></RewardFunction>\n";
inline const std::string kGood =
    "<pomdpx version=\"1.0\">\n"
    "<Discount>0.9</Discount>\n"
    "<Variable>\n"
    "<StateVar vnamePrev=\"s_0\" vnameCurr=\"s_1\"><ValueEnum>left right</ValueEnum></StateVar>\n"
    "<ObsVar vname=\"o\"><ValueEnum>dark light</ValueEnum></ObsVar>\n"
    "<ActionVar vname=\"a\"><ValueEnum>go stay</ValueEnum></ActionVar>\n"
    "<RewardVar vname=\"r\"/>\n"
    "</Variable>\n"
    "<InitialStateBelief><CondProb><Var>s_0</Var><Parent>null</Parent>\n"
    "<Parameter type=\"TBL\"><Entry><Instance>-</Instance><ProbTable>0.5 "
    "0.5</ProbTable></Entry></Parameter></CondProb></InitialStateBelief>\n" +
    kMoves +
    "<ObsFunction><CondProb><Var>o</Var><Parent>a s_1</Parent>\n"
    "<Parameter type=\"TBL\"><Entry><Instance>* * -</Instance><ProbTable>0.5 "
    "0.5</ProbTable></Entry></Parameter></CondProb></ObsFunction>\n" +
    kRewards + "</pomdpx>\n";

inline std::string diagram(const std::string& nodes) {
  return "<StateTransitionFunction><CondProb><Var>s_1</Var><Parent>a s_0</Parent>\n"
         "<Parameter type=\"DD\"><DAG>" +
         nodes + "</DAG></Parameter></CondProb></StateTransitionFunction>\n";
}

inline std::string refusal_of(const std::string& text) {
  try {
    usable(read_pomdpx(text, "p"), "p");
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kBadInput);
    return e.what();
  }
  return "accepted";
}

struct Change {
  std::string from, to, message;
};

}  // namespace bpo::test
