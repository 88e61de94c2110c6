// Cassandra's format, statement by statement.
#include "bpo/problems/tabular/pomdp_reader.h"

#include <gtest/gtest.h>

#include <ctime>

#include "bpo/core/rng.h"
#include "tests/problems/tabular/tables.h"
#include "tests/support/paths.h"

namespace bpo {
namespace {

using test::entry;
using test::reward;

const std::string kPreamble =
    "discount: 0.9\nvalues: reward\nstates: a b c\nactions: go stay\nobservations: dark light\n";
const std::string kRest = "O: * uniform\n";

TabularModel read(const std::string& text) {
  TabularModel m = usable(read_pomdp(text, "p"), "p");
  check(m, "p");
  return m;
}

TEST(Pomdp, NamesAndNumbersMeanTheSame) {
  const std::string names = kPreamble + "T: go identity\nT: stay : a : b 1\nT: stay : b : c 1\n" +
                            "T: stay : c : a 1\nO: * : * : dark 1\nR: stay : b : * : * 2\n";
  const std::string numbers =
      "discount: 0.9\nvalues: reward\nstates: 3\nactions: 2\nobservations: 2\nT: 0 identity\n"
      "T: 1\n0 1 0\n0 0 1\n1 0 0\nO: *\n1 0\n1 0\n1 0\nR: 1 : 1 : * : * 2\n";
  test::expect_same(read(names), read(numbers));
  EXPECT_EQ(read(names).names.hidden, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_TRUE(read(numbers).names.hidden.empty());
}

TEST(Pomdp, LaterStatementsOverrideEarlierOnes) {
  const TabularModel m =
      read(kPreamble +
           "T: * uniform\nT: go : a\n0.5 0.5 0\nT: go : b : * 0\nT: go : b : c 1\n"
           "T: stay identity\nT: stay : * : * 0\nT: stay : * : a 1\n" +
           kRest + "O: go : a : dark 0.25\nO: go : a : light 0.75\n");
  EXPECT_EQ(entry(m.transition[0], 0, 1), 0.5);
  EXPECT_EQ(m.transition[0].row(1).size(), 1u) << "zeros are not kept";
  EXPECT_EQ(entry(m.transition[0], 1, 2), 1.0);
  EXPECT_NEAR(entry(m.transition[0], 2, 0), 1.0 / 3.0, 1e-15);
  for (int s = 0; s < 3; ++s) EXPECT_EQ(entry(m.transition[1], s, 0), 1.0);
  EXPECT_EQ(entry(m.observation[0], 0, 1), 0.75);
  EXPECT_EQ(entry(m.observation[1], 0, 1), 0.5);
}

TEST(Pomdp, RewardsOfAllArities) {
  const TabularModel m = read(kPreamble + "T: go : * uniform\nT: stay identity\n" + kRest +
                              "O: * : c\n1 0\n"
                              "R: * : * : * : * -1\n"   // everywhere
                              "R: go : a : b : * 5\n"   // by next state
                              "R: go : b : c\n8 100\n"  // by observation: light is never seen in c
                              "R: stay : b\n1 2\n3 4\n5 6\n"  // by next state and observation
                              "R: stay : * : * : light 10\n");
  EXPECT_NEAR(reward(m, 0, 0), (-1.0 + 5.0 - 1.0) / 3.0, 1e-15);
  EXPECT_NEAR(reward(m, 1, 0), (-1.0 - 1.0 + 8.0) / 3.0, 1e-15);
  EXPECT_NEAR(reward(m, 0, 1), 0.5 * (-1.0 + 10.0), 1e-15);
  EXPECT_NEAR(reward(m, 1, 1), 0.5 * (3.0 + 10.0), 1e-15) << "the last rule overrides the matrix";
  EXPECT_EQ(reward(m, 2, 1), -1.0);
}

TEST(Pomdp, CostsAreRewardsWithTheOtherSign) {
  std::string text = kPreamble + "T: * identity\n" + kRest + "R: go : a : * : * 3\n";
  EXPECT_EQ(reward(read(text), 0, 0), 3.0);
  text.replace(text.find("values: reward"), 14, "values: cost");
  EXPECT_EQ(reward(read(text), 0, 0), -3.0);
}

TEST(Pomdp, SignsMayStandApart) {
  const auto paid = [](const std::string& number) {
    return reward(
        read(kPreamble + "T: * identity\n" + kRest + "R: go : a : * : * " + number + "\n"), 0, 0);
  };
  EXPECT_EQ(paid("- 5"), -5.0);
  EXPECT_EQ(paid("+ 5"), 5.0);
  EXPECT_EQ(paid("-\n5"), -5.0);
  EXPECT_EQ(paid("- # five\r\n\t.5e1"), -5.0);
  const TabularModel row =
      read(kPreamble + "T: * identity\n" + kRest + "O: go : a\n+ 1 + 0\nR: go : a : a\n- 1 + 2\n");
  EXPECT_EQ(reward(row, 0, 0), -1.0);
}

TEST(Pomdp, StartInAllItsForms) {
  const auto start = [](const std::string& line) {
    return read(kPreamble + line + "T: * identity\n" + kRest).initial;
  };
  using Belief = std::vector<double>;
  const Belief uniform(3, 1.0 / 3.0);
  EXPECT_EQ(start(""), uniform);
  EXPECT_EQ(start("start: uniform\n"), uniform);
  EXPECT_EQ(start("start: 0.25 0.5 0.25\n"), (Belief{0.25, 0.5, 0.25}));
  EXPECT_EQ(start("start:\n0.25 0.5\n0.25\n"), (Belief{0.25, 0.5, 0.25}));
  EXPECT_EQ(start("start: b\n"), (Belief{0.0, 1.0, 0.0}));
  EXPECT_EQ(start("start: 2\n"), (Belief{0.0, 0.0, 1.0}));
  EXPECT_EQ(start("start include: a 2\n"), (Belief{0.5, 0.0, 0.5}));
  EXPECT_EQ(start("start exclude: b\n"), (Belief{0.5, 0.0, 0.5}));
  const std::string one = "discount: 1\nstates: 1\nactions: 1\nobservations: 1\n";
  EXPECT_EQ(read(one + "start: 1.0\nT: 0 identity\nO: 0 uniform\n").initial, Belief{1.0});
}

TEST(Pomdp, ResetLeadsBackToTheStart) {
  const TabularModel m = read(kPreamble + "start: 0.25 0.75 0\nT: go reset\nT: stay identity\n" +
                              "T: stay : c reset\n" + kRest);
  EXPECT_EQ(entry(m.transition[0], 2, 1), 0.75);
  EXPECT_EQ(entry(m.transition[1], 2, 0), 0.25);
  EXPECT_EQ(entry(m.transition[1], 1, 1), 1.0);
}

TEST(Pomdp, CommentsLineEndsAndMarksAreLayout) {
  const std::string plain = kPreamble + "T: * identity\n" + kRest + "R: go : a : * : * 3\n";
  std::string dressed = "\xef\xbb\xbf# a problem\r\n";
  for (const char c : plain)
    dressed += c == '\n' ? std::string(" # note: 1 2\r\n") : std::string(1, c);
  test::expect_same(read(dressed), read(plain));
  std::string tight;
  for (const char c : plain) {
    if (c != ' ' || (!tight.empty() && tight.back() != ':')) tight += c;
  }
  test::expect_same(read(tight), read(plain));
  test::expect_same(read(plain.substr(0, plain.size() - 1)), read(plain));
}

TEST(Pomdp, WithoutObservationsTheStateIsSeen) {
  const TabularModel m = read(
      "discount: 0.9\nstates: a b\nactions: 1\nstart: a\nT: 0\n0.5 0.5\n0 1\n"
      "R: 0\n1 2\n3 4\nR: 0 : b : b 5\n");
  EXPECT_EQ(m.visible, 2);
  EXPECT_EQ(m.observations, 1);
  EXPECT_EQ(reward(m, 0, 0), 1.5);
  EXPECT_EQ(reward(m, 1, 0), 5.0);
}

TEST(Pomdp, RowsThatMissOneByRoundingAreScaledAndToldOf) {
  const FileTables tables = read_pomdp(
      kPreamble + "T: go : *\n0.333333 0.333333 0.333333\nT: stay identity\n" + kRest, "p");
  EXPECT_EQ(tables.wrong, 0u);
  EXPECT_EQ(tables.put_right, 3u);
  ASSERT_EQ(tables.remarks.size(), 3u);
  EXPECT_EQ(tables.remarks[0].place.line, 7u);
  EXPECT_EQ(
      tables.remarks[0].text,
      "T, action 'go', state 'a': the probabilities sum to 0.999999, not 1; they were scaled");
  check(tables.model, "p");
  const FileTables wrong =
      read_pomdp(kPreamble + "T: go : *\n0.33 0.33 0.33\nT: stay identity\n" + kRest, "p");
  EXPECT_EQ(wrong.wrong, 3u);
}

TEST(Pomdp, ManyStatesThatStayTakeNoTime) {
  const std::string text =
      "discount: 0.95\nvalues: reward\nstates: 20000\nactions: 4\nobservations: 2\nT: *\nidentity\n"
      "O: *\nuniform\nR: * : * : * : * -1\n";
  const std::clock_t before = std::clock();
  const TabularModel m = read(text);
  const double seconds = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  EXPECT_EQ(m.transition[3].row(19999).size(), 1u);
#ifndef BPO_SANITIZED
  if (*kEmulator == '\0') EXPECT_LT(seconds, 1.0);
#endif
}

TEST(Pomdp, StatesThatEndMayBeNamed) {
  const std::string text =
      kPreamble + "T: * uniform\nT: * : c\n0 0 1\n" + kRest + "R: go : a : * : * 2\n";
  test::expect_same(read(text + "E: c\nE: 2\n"), read(text));
  // It is no reserved word: a state may be called so.
  EXPECT_EQ(read("discount: 0.9\nstates: D E\nactions: 1\nobservations: 1\nT: 0 identity\n"
                 "O: 0 uniform\nE: E\n")
                .names.hidden,
            (std::vector<std::string>{"D", "E"}));
}

/// Statements for all actions or all states, in any order, mean what they mean one by one.
TEST(Pomdp, StarsMeanEachOfThem) {
  Rng rng(5, Use::kState, 0);
  constexpr int kStates = 4, kActions = 3;
  const std::vector<std::string> rows{"uniform", "reset", "0 0.5 0.5 0", "0.125 0 0 0.875"};
  for (int trial = 0; trial < 200; ++trial) {
    std::string stars =
        "discount: 0.9\nstates: 4\nactions: 3\nobservations: 2\nstart: 0.5 0 0.25 0.25\n";
    std::string plain = stars;
    const auto tell = [&](int action, int row, int column, const std::string& what) {
      const auto shown = [](int i) { return i < 0 ? std::string("*") : fmt::to_string(i); };
      const auto cell = [&](int a, int r, int c) {
        return "T: " + shown(a) + " : " + shown(r) + (c < -1 ? "" : " : " + shown(c)) + " " + what +
               "\n";
      };
      stars += cell(action, row, column);
      for (int a = 0; a < kActions; ++a) {
        for (int r = 0; r < kStates; ++r) {
          for (int c = column < -1 ? -2 : 0; c < (column < -1 ? -1 : kStates); ++c) {
            const bool fits = (action < 0 || action == a) && (row < 0 || row == r);
            if (fits && (column < 0 || column == c)) plain += cell(a, r, c);
          }
        }
      }
    };
    const auto any = [&](int n) { return static_cast<int>(rng.below(n + 1)) - 1; };
    for (int i = 0; i < 12; ++i) {
      if (rng.below(2) == 0) {
        tell(any(kActions), any(kStates), any(kStates), rng.below(2) == 0 ? "0" : "0.25");
      } else if (rng.below(4) > 0) {
        tell(any(kActions), any(kStates), -2, rows[rng.below(rows.size())]);
      } else {
        stars += "T: * identity\n";
        for (int a = 0; a < kActions; ++a) plain += fmt::format("T: {} identity\n", a);
      }
    }
    const auto told = [&](const std::string& text) {
      return read_pomdp(text + "O: * uniform\n", "p").model.transition;
    };
    const auto expected = told(plain), got = told(stars);
    for (int a = 0; a < kActions; ++a) {
      for (int r = 0; r < kStates; ++r) {
        for (int c = 0; c < kStates; ++c) {
          EXPECT_EQ(entry(got[a], r, c), entry(expected[a], r, c)) << stars;
        }
      }
    }
  }
}

/// What is overridden is dropped, and no limit is on how often: only on what holds.
TEST(Pomdp, WhatIsToldOftenIsNoLargerThanWhatHolds) {
  Rng rng(3, Use::kState, 0);
  std::string text =
      "discount: 0.9\nstates: 6\nactions: 3\nobservations: 2\nT: * identity\n" + kRest;
  const auto one = [&](int n) { return fmt::to_string(rng.below(n)); };
  for (int i = 0; i < 60; ++i) {
    const std::string cell = one(3) + " : " + one(6);
    switch (rng.below(5)) {
      case 0:
        text += "T: " + one(3) + " uniform\n";
        break;
      case 1:
        text += "T: " + cell + " uniform\n";
        break;
      case 2:
        text += "T: * : " + one(6) + "\n0 0.5 0 0.5 0 0\n";
        break;
      case 3:
        text += "T: " + cell + " : * 0\nT: * : * : 2 0\nT: * : * : 3 0\n";
        break;
      default:
        text += "T: " + cell + " : " + one(6) + " 0.25\n";
    }
  }
  for (int a = 0; a < 3; ++a) {
    for (int s = 0; s < 6; ++s) {
      text += fmt::format("T: {} : {} : * {}\n", a, s, s % 2 == 0 ? "0" : "0.2");
      if (s % 2 == 0) text += fmt::format("T: {} : {} : {} 1\n", a, s, (s + a) % 6);
      if (s % 2 == 1) text += fmt::format("T: {} : {} : 0 0\n", a, s);
    }
  }
  const TableLimits tight{.states = 100, .pairs = 100, .numbers = 130};
  test::expect_same(usable(read_pomdp(text, "p", tight), "p"), read(text));
}

}  // namespace
}  // namespace bpo
