// Files that are not quite .pomdp: each is refused with its place and what would work.
#include <gtest/gtest.h>

#include "bpo/problems/tabular/pomdp_reader.h"

namespace bpo {
namespace {

const std::string kHead =
    "discount: 0.9\nvalues: reward\nstates: left right\nactions: go stay\n"
    "observations: dark light\n";

std::string refusal(const std::string& text) {
  try {
    usable(read_pomdp(text, "p"), "p");
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kBadInput);
    return e.what();
  }
  return "accepted";
}

TEST(PomdpMalformed, IsRefusedWithItsPlace) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "1:1: states: is missing at the end, as in 'states: 3'"},
      {"disconut: 0.9\n",
       "1:1: 'disconut' begins no statement (did you mean 'discount'?); there are: discount, "
       "values, states, actions, observations, start, T, O, R, E"},
      {"discount 0.9\n", "1:10: there must be a ':' after discount, not '0.9'"},
      {"discount: 1.5\n", "1:11: discount: '1.5': it must be a number in [0, 1]"},
      {"discount: big\n", "1:11: discount: 'big': it must be a number in [0, 1]"},
      {"discount: 0.9\ndiscount: 0.8\n", "2:1: discount: is told twice"},
      {"values: money\n", "1:9: values: 'money': it must be reward or cost"},
      {"values: reward\nvalues: cost\n", "2:1: values: is told twice"},
      {"states: 0\n", "1:9: states: '0': a whole number from 1 to 2000000, or names"},
      {"states: 2.5\n", "1:9: states: '2.5': a whole number from 1 to 2000000, or names"},
      {"states: 99999999\n", "1:9: states: '99999999': a whole number from 1 to 2000000, or names"},
      {"states: 3 4\n", "1:11: states: either one number or names, and '4' is no name"},
      {"states: a a\n", "1:11: states: 'a' is there twice"},
      {"states: a reset\n", "1:11: states: 'reset' is a word of the format; take another name"},
      {"states:\nactions: 2\n", "2:1: states: there must be a number or names, not 'actions'"},
      {"states: a 7\n", "1:11: states: '7' is no name, which begins with a letter"},
      {"states: a b\nstates: 2\n", "2:1: states: is told twice"},
      {"states: \xc3"
       "\xa4"
       "h\n",
       "1:9: '\xc3\xa4"
       "h' is neither a number nor a name, which begins with a letter"},
      {"actions: 2\nT: 0 identity\n",
       "2:1: states: is missing before the first statement, as in 'states: 3'"},
      {"states: 2\nT: 0 identity\n",
       "2:1: actions: is missing before the first statement, as in 'actions: 3'"},
      {"states: 2000000\nactions: 1000\nT: 0 identity\n",
       "3:1: 2000000 states x 1000 actions are too many: at most 20000000 pairs"},
      {"states: 2\nactions: 2\nO: 0 uniform\n", "3:1: observations: is missing before the first O"},
      {"states: 2\nactions: 1\nT: * identity\n",
       "4:1: discount: is missing, as in 'discount: 0.95'"},
      {"start: uniform\n", "1:1: states: must come before start:"},
      {kHead + "start: 0.5\n",
       "7:1: start: 2 probabilities, one for each state, and not 1; or uniform, a state, "
       "include: or exclude:"},
      {kHead + "start: 0.5 0.6\nT: * identity\nO: * uniform\n",
       "6:8: start: the probabilities sum to 1.1, not 1"},
      {kHead + "start: middle\n", "6:8: 'middle' is no state; there are: left, right"},
      {kHead + "start: uniform\nstart: left\n", "7:1: start: is told twice"},
      {kHead + "start include: *\n", "6:16: start: '*' names no state here"},
      {kHead + "start exclude: left right\n", "6:1: start exclude: leaves no state to begin in"},
      {kHead + "T go identity\n",
       "6:1: observations: 'T' is a word of the format; take another name"},
      {kHead + "T: run identity\n", "6:4: 'run' is no action; there are: go, stay"},
      {kHead + "T: 2 identity\n", "6:4: '2' is no action: they are numbered from 0 to 1"},
      {kHead + "T: go : rigth : left 1\n", "6:9: 'rigth' is no state (did you mean 'right'?)"},
      {kHead + "T: go : left : left 1.5\n", "6:21: '1.5' is no probability: it must be in [0, 1]"},
      {kHead + "T: go : left : left -0.1\n",
       "6:21: '-0.1' is no probability: it must be in [0, 1]"},
      {kHead + "T: go : left : left\nO: * uniform\n",
       "7:1: there must be a probability here, not 'O'"},
      {kHead + "T: go : left\n1.0\nO: * uniform\n",
       "8:1: row 0 has 1 of 2 numbers, one for each state, and then 'O'"},
      {kHead + "T: go\n1 0\n0\nO: * uniform\n",
       "9:1: row 1 has 1 of 2 numbers, one for each state, and then 'O'"},
      {kHead + "T: go\n1 0 0 1 0\n", "7:9: '0' is one number too many for what stands before it"},
      {kHead + "T: go : left identity\n",
       "6:14: identity stands for a whole matrix: T: action, without a state"},
      {kHead + "O: go identity\n", "6:7: identity is for T alone: an observation is no state"},
      {kHead + "O: go : left reset\n",
       "6:14: reset is for T alone: it leads back to where episodes begin"},
      {kHead + "T: go : left : left nan\n", "6:21: there must be a probability here, not 'nan'"},
      {kHead + "T: go : left : left 1e999\n", "6:21: '1e999' is not finite"},
      {kHead + "T: go : left : left 0.5x\n",
       "6:21: '0.5x' is neither a number nor a name, which begins with a letter"},
      {kHead + "T: * uniform\nT: go : left : left 0.6\nO: * uniform\n",
       "7:21: T, action 'go', state 'left': the probabilities sum to 1.1, not 1"},
      {kHead + "T: go identity\nO: * uniform\n",
       "3:9: T, action 'stay', state 'left': no probabilities are given (and 1 more; `bpo check "
       "p` lists them)"},
      {kHead + "T: * identity\nO: go uniform\n",
       "3:9: O, action 'stay', state 'left': no probabilities are given (and 1 more; `bpo check "
       "p` lists them)"},
      {kHead + "T: * identity\nO: * uniform\nO: go : right : light 0.7\n",
       "8:23: O, action 'go', state 'right': the probabilities sum to 1.2, not 1"},
      {kHead + "R: go\n1 2\n",
       "7:1: R needs a start state as well: R: action : state and a matrix of rewards by end "
       "state and observation, R: action : state : state and a row, or all four and a number"},
      {kHead + "R: go : left : left : blue 3\n",
       "6:23: 'blue' is no observation; there are: dark, light"},
      {kHead + "R: go : left : left\n1 oops\n",
       "7:3: there must be 1 x 2 numbers here, and 'oops' is none"},
      {kHead + "R: go : left : left : dark - - 5\n",
       "6:28: '-' is neither a number nor a name, which begins with a letter"},
      {kHead + "R: go : left : left : dark +-5\n",
       "6:28: '+-5' is neither a number nor a name, which begins with a letter"},
      {kHead + "R: go : left : left : dark - # none\n",
       "6:28: '-' is neither a number nor a name, which begins with a letter"},
      {kHead + "T: go : left : left -\n5\n", "6:21: '-' is no probability: it must be in [0, 1]"},
      {kHead + "R: go : left : left : dark inf\n",
       "6:28: there must be a number here, and 'inf' is none"},
      {"discount: 0.9\nstates: 2\nactions: 1\nT: 0 identity\nR: 0 : 0 : 0 1\nobservations: 2\nO: "
       "0 uniform\n",
       "8:1: observations: must come before the first R"},
      {kHead + "T: * reset\nstart: left\nO: * uniform\n",
       "6:6: reset stands before start: tells where it leads"},
      {"states: 2\nactions: 1\nobservations: 1\nT: 0 identity\nO: 0 uniform\n",
       "6:1: discount: is missing, as in 'discount: 0.95'"},
      {"discount: 0.9\nstates: 20000\nactions: 4\nobservations: 2\nT: * uniform\nO: * uniform\n",
       "7:1: T: more than 40000000 probabilities of 20000 states are not zero"},
      {kHead + "T: * identity\nO: * uniform\nR: go : left : left : dark 1e200\n",
       "8:28: '1e200' is too large for a reward"},
      {kHead + "T: * identity : left\n",
       "6:15: ':' begins no statement; there are: discount, values, states, "
       "actions, observations, start, T, O, R, E"},
      {kHead + "T: go : left : left 1 : 2\n",
       "6:23: ':' begins no statement; there are: discount, values, states, "
       "actions, observations, start, T, O, R, E"},
      {"\xef"
       "\xbb"
       "\xbf"
       "states: a a\n",
       "1:11: states: 'a' is there twice"},
      {"discount: 0.9\r\nstates: 2\r\nactions: 1\r\nT: 0\r\n1 0\r\n0 2\r\n",
       "6:3: '2' is no probability: it must be in [0, 1]"},
      {kHead + "T: * identity\nO: * uniform\nE: middle\n",
       "8:4: 'middle' is no state; there are: left, right"},
      {kHead + "T: * identity\nO: * uniform\nE left\n",
       "8:3: there must be a ':' after E, not 'left'"},
      {kHead + "E: left\nT: * identity\nT: stay : left\n0 1\nO: * uniform\n",
       "6:4: E: state 'left' is no end: every action must stay there and pay nothing"},
      {kHead + "T: * identity\nO: * uniform\nR: go : right : * : * 1\nE: left\nE: 1\n",
       "10:4: E: state 'right' is no end: every action must stay there and pay nothing"},
      {kHead + "T: * identity\nO: * uniform\nR: go : right : * : * 1\nE: *\n",
       "9:4: E: state 'right' is no end: every action must stay there and pay nothing"},
      {"E: 0\nstates: 2\n",
       "1:1: states: is missing before the first statement, as in 'states: 3'"},
      {"# only\n# comments", "2:11: states: is missing at the end, as in 'states: 3'"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(refusal(text), "p:" + message) << text;
}

TEST(PomdpMalformed, CutAnywhereItIsReadOrRefused) {
  const std::string whole = kHead +
                            "start: 0.25 0.75\nT: go\n0.5 0.5\n0 1\nT: stay identity\nO: * : * "
                            "uniform\nR: go : left : * : * -1\nR: stay : right : left\n1 2\n";
  EXPECT_EQ(refusal(whole), "accepted");
  int refused = 0;
  for (std::size_t n = 0; n < whole.size(); ++n) {
    const std::string said = refusal(whole.substr(0, n));
    if (said == "accepted") continue;
    ++refused;
    EXPECT_EQ(said.substr(0, 2), "p:") << n;
  }
  EXPECT_GT(refused, 100);
}

TEST(PomdpMalformed, SizesAreCheckedBeforeMemoryIsTaken) {
  TableLimits limits{.states = 100, .pairs = 150, .numbers = 200};
  const auto said = [&](const std::string& text) -> std::string {
    try {
      read_pomdp(text, "p", limits);
    } catch (const Error& e) {
      return e.what();
    }
    return "accepted";
  };
  EXPECT_EQ(said("states: 101\n"), "p:1:9: states: '101': a whole number from 1 to 100, or names");
  EXPECT_EQ(said("states: 100\nactions: 2\nT: 0 identity\n"),
            "p:3:1: 100 states x 2 actions are too many: at most 150 pairs");
  const std::string ten = "discount: 1\nstates: 10\nactions: 10\n";
  const std::string halves = "T: * : * 0.5 0.5 0 0 0 0 0 0 0 0\n";
  EXPECT_EQ(said(ten + halves), "accepted");
  const std::string refused = ": T: more than 200 probabilities of 10 states are not zero";
  EXPECT_EQ(said(ten + "T: * : * 0.5 0.3 0.2 0 0 0 0 0 0 0\n"), "p:5:1" + refused);
  EXPECT_EQ(said(ten + "start include: 0 1 2\nT: * reset\n"), "p:6:1" + refused);
  EXPECT_EQ(said(ten + "T: * uniform\nT: * : * : 3 0\n"), "p:6:1" + refused);
  EXPECT_EQ(said(ten + halves + "T: 3 : * : 2 1\n"), "p:6:1" + refused);
  EXPECT_EQ(said(ten + "T: * uniform\n" + halves), "accepted") << "what holds is small";
  std::string often = "states: 100\nactions: 1\n";
  for (int i = 0; i < 21; ++i) often += "T: 0 identity\n";
  EXPECT_EQ(said(often),
            "p:24:1: what was told so far stands for more than 2000 numbers, most of which were "
            "overridden");
  limits.numbers = 144;
  const std::string twelve =
      "discount: 1\nstates: 12\nactions: 1\nobservations: 12\nT: * uniform\nO: * uniform\n";
  EXPECT_EQ(said(twelve + "R: 0 : 3 : * : * 1\n"), "accepted");
  EXPECT_EQ(said(twelve + "R: 0 : * : 3 : * 1\nR: 0 : * : * : 3 1\n"),
            "p:8:1: rewards depend on what is observed, and 1728 combinations of a state, an "
            "action, a next state and an observation are too many to take their mean: at most "
            "1440");
  const FileTables summed = read_pomdp(twelve + "R: 0 : * : 3 : * 12\n", "p", limits);
  for (const double r : summed.model.reward) EXPECT_NEAR(r, 1.0, 1e-15);
  limits.numbers = 200;
  EXPECT_EQ(said("discount: 1\nstates: 50\nactions: 1\nT: 0 uniform\n"),
            "p:5:1: T: more than 200 probabilities of 50 states are not zero");
}

}  // namespace
}  // namespace bpo
