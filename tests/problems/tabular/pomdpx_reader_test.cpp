// POMDPX: variables that are seen and hidden, tables and diagrams.
#include "bpo/problems/tabular/pomdpx_reader.h"

#include <gtest/gtest.h>

#include "bpo/problems/tabular/pomdp_reader.h"
#include "tests/problems/tabular/tables.h"

namespace bpo {
namespace {

using test::entry;
using test::reward;

TabularModel read_xml(const std::string& text) {
  TabularModel m = usable(read_pomdpx(text, "p"), "p");
  check(m, "p");
  return m;
}

std::string table(const std::string& var, const std::string& parents, const std::string& parameter,
                  const std::string& type = "TBL") {
  return "<CondProb><Var>" + var + "</Var><Parent>" + parents + "</Parent><Parameter type=\"" +
         type + "\">" + parameter + "</Parameter></CondProb>";
}
std::string row(const std::string& instance, const std::string& numbers) {
  return "<Entry><Instance>" + instance + "</Instance><ProbTable>" + numbers +
         "</ProbTable></Entry>";
}
std::string pay(const std::string& parents, const std::string& instance,
                const std::string& numbers) {
  return "<Func><Var>r</Var><Parent>" + parents + "</Parent><Parameter><Entry><Instance>" +
         instance + "</Instance><ValueTable>" + numbers +
         "</ValueTable></Entry></Parameter></Func>";
}

/// A room that is seen, a lamp and a switch that are not; doors move the agent, the lamp follows
/// the switch of the step before.
std::string house(const std::string& lamp, const std::string& rewards) {
  return "<pomdpx><Discount>0.9</Discount><Variable>"
         "<StateVar vnamePrev='lamp_0' vnameCurr='lamp_1'><ValueEnum>off on</ValueEnum></StateVar>"
         "<StateVar vnamePrev='room_0' vnameCurr='room_1' fullyObs='true'><NumValues>3</NumValues>"
         "</StateVar>"
         "<StateVar vnamePrev='sw_0' vnameCurr='sw_1'><ValueEnum>down up</ValueEnum></StateVar>"
         "<ObsVar vname='o'><ValueEnum>dark light</ValueEnum></ObsVar>"
         "<ActionVar vname='a'><ValueEnum>wait go flip</ValueEnum></ActionVar><RewardVar "
         "vname='r'/>"
         "</Variable><InitialStateBelief>" +
         table("lamp_0", "sw_0", row("- -", "1 0 0 1")) + table("room_0", "null", row("s1", "1")) +
         table("sw_0", "null", row("-", "0.25 0.75")) +
         "</InitialStateBelief><StateTransitionFunction>" + lamp +
         table("room_1", "a room_0",
               row("* - -", "identity") + row("go * *", "0") + row("go s0 s1", "1") +
                   row("go s1 -", "0.5 0 0.5") + row("go s2 s0", "1")) +
         table("sw_1", "a sw_0", row("* - -", "identity") + row("flip - -", "0 1 1 0")) +
         "</StateTransitionFunction><ObsFunction>" +
         table("o", "a lamp_1", row("* off -", "0.9 0.1") + row("* on -", "0.2 0.8")) +
         "</ObsFunction><RewardFunction>" + rewards + "</RewardFunction></pomdpx>";
}
const std::string kLampTable = table("lamp_1", "sw_0", row("- -", "1 0 0 1"));

TEST(Pomdpx, SeenVariablesMakeXAndHiddenOnesY) {
  const TabularModel m = read_xml(house(kLampTable, pay("a room_0", "go s2", "7")));
  EXPECT_EQ(m.states, 12);
  EXPECT_EQ(m.visible, 3);
  EXPECT_EQ(m.hidden(), 4);  // (lamp, switch), the switch changing fastest
  EXPECT_EQ(m.names.seen, (std::vector<std::string>{"s0", "s1", "s2"}));
  EXPECT_EQ(m.names.hidden[1], "lamp_1=off,sw_1=up");
  EXPECT_EQ(m.names.observations, (std::vector<std::string>{"dark", "light"}));
  const auto state = [](int room, int lamp, int sw) { return room * 4 + lamp * 2 + sw; };
  EXPECT_EQ(m.initial[state(1, 0, 0)], 0.25) << "the lamp began as its switch";
  EXPECT_EQ(m.initial[state(1, 1, 1)], 0.75);
  EXPECT_EQ(entry(m.transition[1], state(1, 0, 1), state(0, 1, 1)), 0.5);
  EXPECT_EQ(entry(m.transition[1], state(1, 0, 1), state(2, 1, 1)), 0.5);
  EXPECT_EQ(entry(m.transition[2], state(0, 0, 1), state(0, 1, 0)), 1.0);
  EXPECT_EQ(entry(m.observation[0], state(2, 1, 0), 1), 0.8);
  EXPECT_EQ(reward(m, state(2, 1, 0), 1), 7.0);
  EXPECT_EQ(reward(m, state(2, 1, 0), 0), 0.0);
}

TEST(Pomdpx, DiagramsMeanWhatTheirTablesMean) {
  const std::string rewards = pay("a", "go", "1");
  const std::string edges =
      "<DAG><Node var='sw_0'><Edge val='down'><SubDAG type='deterministic' var='lamp_1' val='off'/>"
      "</Edge><Edge val='up'><Node var='lamp_1'><Edge "
      "val='on'><Terminal>1.0</Terminal></Edge></Node>"
      "</Edge></Node></DAG>";
  test::expect_same(read_xml(house(table("lamp_1", "sw_0", edges, "DD"), rewards)),
                    read_xml(house(kLampTable, rewards)));
  const std::string stays =
      table("lamp_1", "a lamp_0", row("* - -", "identity") + row("go * -", "uniform"));
  const std::string diagram =
      "<DAG><Node var='a'><Edge val='go'><SubDAG type='uniform' var='lamp_1'/></Edge>"
      "<Edge val='wait'><SubDAG type='template' idref='same'/></Edge>"
      "<Edge val='flip'><SubDAG type='template' idref='same'/></Edge></Node></DAG>"
      "<SubDAGTemplate id='same'><SubDAG type='persistent' var='lamp_1'/></SubDAGTemplate>";
  test::expect_same(read_xml(house(table("lamp_1", "a lamp_0", diagram, "DD"), rewards)),
                    read_xml(house(stays, rewards)));
}

TEST(Pomdpx, ParentsOfTheSameMomentAreDrawnFirst) {
  const std::string lamp = table("lamp_1", "sw_1", row("- -", "1 0 0 1"));
  const TabularModel m = read_xml(house(lamp, pay("a", "go", "1")));
  EXPECT_EQ(entry(m.transition[2], 0, 3), 1.0) << "flip: the lamp follows at once";
}

TEST(Pomdpx, RewardsAddUpAndMayLookAhead) {
  const TabularModel m =
      read_xml(house(kLampTable, pay("a room_1", "go s0", "4") + pay("a o", "* light", "10") +
                                     pay("lamp_0 sw_0", "- *", "0 100")));
  // In the room s1 with the lamp off and the switch up, going leads to s0 half the time, and the
  // lamp will be on.
  EXPECT_NEAR(reward(m, 4 + 1, 1), 0.5 * 4.0 + 0.8 * 10.0, 1e-12);
  EXPECT_NEAR(reward(m, 4 + 2, 0), 0.1 * 10.0 + 100.0, 1e-12);
}

TEST(Pomdpx, RewardsAreSummedOverObservationsOnlyWhereTheyMust) {
  const auto read = [](const std::string& rewards) {
    const std::string values = "<NumValues>24</NumValues>";
    const TableLimits limits{.states = 100, .pairs = 1000, .numbers = 2 * 24 * 24};
    return read_pomdpx(
        "<pomdpx><Discount>0.9</Discount>\n<Variable><StateVar vnamePrev='s_0' vnameCurr='s_1'>" +
            values + "</StateVar><ObsVar vname='o'>" + values +
            "</ObsVar><ActionVar vname='a'><NumValues>1</NumValues></ActionVar><RewardVar "
            "vname='r'/></Variable><InitialStateBelief>" +
            table("s_0", "null", row("-", "uniform")) +
            "</InitialStateBelief><StateTransitionFunction>" +
            table("s_1", "s_0", row("- -", "uniform")) + "</StateTransitionFunction><ObsFunction>" +
            table("o", "s_1", row("- -", "uniform")) + "</ObsFunction><RewardFunction>" + rewards +
            "</RewardFunction></pomdpx>",
        "p", limits);
  };
  for (const double r : read(pay("s_1", "s3", "24")).model.reward) EXPECT_NEAR(r, 1.0, 1e-14);
  try {
    read(pay("s_1 o", "s3 o3", "24"));
    ADD_FAILURE() << "13,824 combinations";
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(),
                 "p:2:1: rewards depend on what is observed, and 13824 combinations of a state, an "
                 "action, a next state and an observation are too many to take their mean: at most "
                 "11520");
  }
}

TEST(Pomdpx, OneVariableIsAPlainPomdp) {
  const std::string text =
      "<pomdpx><Description>tiger</Description><Discount>0.95</Discount><Variable>"
      "<StateVar vnamePrev='t_0' vnameCurr='t_1'><ValueEnum>left right</ValueEnum></StateVar>"
      "<ObsVar vname='o'><ValueEnum>l r</ValueEnum></ObsVar>"
      "<ActionVar vname='a'><ValueEnum>listen open</ValueEnum></ActionVar><RewardVar vname='r'/>"
      "</Variable><InitialStateBelief>" +
      table("t_0", "null", row("-", "uniform")) + "</InitialStateBelief><StateTransitionFunction>" +
      table("t_1", "a t_0", row("listen - -", "identity") + row("open * *", "0.5")) +
      "</StateTransitionFunction><ObsFunction>" +
      table("o", "a t_1", row("listen - -", "0.85 0.15 0.15 0.85") + row("open * -", "uniform")) +
      "</ObsFunction><RewardFunction>" + pay("a t_0", "listen *", "-1") +
      pay("a t_0", "open -", "-100 10") + "</RewardFunction></pomdpx>";
  test::expect_same(
      read_xml(text),
      usable(
          read_pomdp("discount: 0.95\nstates: left right\nactions: listen open\nobservations: l r\n"
                     "T: listen identity\nT: open uniform\nO: listen\n0.85 0.15\n0.15 0.85\n"
                     "O: open uniform\nR: listen : * : * : * -1\nR: open : left : * : * -100\n"
                     "R: open : right : * : * 10\n",
                     "q"),
          "q"));
}

/// Actions for which the same rules hold share a table; rules that list their numbers by action,
/// and actions with rules of their own, do not.
TEST(Pomdpx, ActionsWithTheSameRulesMoveAlike) {
  const auto text = [](const std::string& moves) {
    return "<pomdpx><Discount>0.9</Discount><Variable>"
           "<StateVar vnamePrev='s_0' vnameCurr='s_1'><ValueEnum>l r</ValueEnum></StateVar>"
           "<ObsVar vname='o'><ValueEnum>d n</ValueEnum></ObsVar>"
           "<ActionVar vname='a'><ValueEnum>u v w</ValueEnum></ActionVar><RewardVar vname='r'/>"
           "</Variable><InitialStateBelief>" +
           table("s_0", "null", row("-", "uniform")) +
           "</InitialStateBelief><StateTransitionFunction>" + table("s_1", "a s_0", moves) +
           "</StateTransitionFunction><ObsFunction>" +
           table("o", "a s_1", row("* - -", "identity")) + "</ObsFunction><RewardFunction>" +
           pay("a s_0", "- -", "1 2 3 4 5 6") + "</RewardFunction></pomdpx>";
  };
  const TabularModel shared = read_xml(text(row("* - -", "identity") + row("v - -", "0 1 1 0")));
  const TabularModel listed = read_xml(text(row("- - -", "1 0 0 1 0 1 1 0 1 0 0 1")));
  test::expect_same(shared, listed);
  EXPECT_EQ(entry(shared.transition[1], 0, 1), 1.0);
  EXPECT_EQ(entry(shared.transition[2], 0, 0), 1.0);
  EXPECT_EQ(reward(shared, 1, 2), 6.0);
}

}  // namespace
}  // namespace bpo
