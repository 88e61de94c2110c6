// RockSample: sizes of the literature, and the rules of Smith and Simmons.
#include "bpo/problems/tabular/rocksample.h"

#include <gtest/gtest.h>

#include <cmath>

#include "bpo/problems/tabular/lint.h"
#include "bpo/problems/tabular/pomdpx_reader.h"
#include "bpo/problems/tabular/pomdpx_writer.h"
#include "tests/problems/tabular/tables.h"

namespace bpo {
namespace {

TEST(RockSample, HasTheSizesOfTheLiterature) {
  const TabularModel small = rocksample_tables({.n = 4, .k = 4, .flat = true});
  EXPECT_EQ(small.states, 257);
  EXPECT_EQ(small.actions, 9);
  EXPECT_EQ(small.visible, 1);
  EXPECT_EQ(rocksample_tables({.n = 7, .k = 8, .flat = true}).states, 12545);
  const TabularModel seen = rocksample_tables({.n = 7, .k = 8});
  EXPECT_EQ(seen.visible, 50);
  EXPECT_EQ(seen.hidden(), 256);
  EXPECT_EQ(seen.discount, 0.95);
  check(small, "small");
  check(seen, "seen");
  EXPECT_EQ(lint(small).ends, 1u);
}

TEST(RockSample, FollowsItsRules) {
  // A field of two by two cells with one rock.
  RockSampleOptions options{.n = 2, .k = 1, .map = 3};
  const TabularModel m = rocksample_tables(options);
  enum { kNorth, kSouth, kEast, kWest, kSample, kCheck };
  const auto state = [](int x, int y, int good) { return (y * 2 + x) * 2 + good; };
  const int gone = 4 * 2;
  EXPECT_EQ(m.initial[state(0, 1, 0)], 0.5);
  EXPECT_EQ(m.initial[state(0, 1, 1)], 0.5);
  EXPECT_EQ(test::entry(m.transition[kNorth], state(0, 0, 1), state(0, 1, 1)), 1.0);
  EXPECT_EQ(test::entry(m.transition[kNorth], state(0, 1, 1), state(0, 1, 1)), 1.0) << "a wall";
  EXPECT_EQ(test::entry(m.transition[kWest], state(0, 1, 0), state(0, 1, 0)), 1.0);
  EXPECT_EQ(test::entry(m.transition[kEast], state(1, 0, 1), gone + 1), 1.0);
  EXPECT_EQ(test::reward(m, state(1, 0, 1), kEast), 10.0);
  EXPECT_EQ(test::reward(m, state(0, 0, 1), kEast), 0.0);
  int rock = -1;
  for (int place = 0; place < 4; ++place) {
    if (test::reward(m, place * 2 + 1, kSample) != 0.0) rock = place;
  }
  ASSERT_GE(rock, 0);
  for (int place = 0; place < 4; ++place) {
    for (int good : {0, 1}) {
      const int s = place * 2 + good;
      const bool here = place == rock;
      EXPECT_EQ(test::reward(m, s, kSample), here ? (good ? 10.0 : -10.0) : 0.0);
      EXPECT_EQ(test::entry(m.transition[kSample], s, here ? place * 2 : s), 1.0);
      const double d = std::hypot(place % 2 - rock % 2, place / 2 - rock / 2);
      EXPECT_NEAR(test::entry(m.observation[kCheck], s, good ? 2 : 1),
                  0.5 + 0.5 * std::pow(2.0, -d / 20.0), 1e-15);
      EXPECT_EQ(test::entry(m.observation[kNorth], s, 0), 1.0);
    }
  }
  for (int a = 0; a < m.actions; ++a) EXPECT_EQ(test::entry(m.transition[a], gone, gone), 1.0);
}

TEST(RockSample, ItsFactorsReadBack) {
  const RockSampleOptions options{.n = 5, .k = 5};
  test::expect_same(
      usable(read_pomdpx(pomdpx_text(rocksample(options), "rocks"), "rocks"), "rocks"),
      rocksample_tables(options));
}

TEST(RockSample, MapsAreDrawnByTheirNumber) {
  const auto map = [](std::int64_t number) {
    return rocksample_tables({.n = 6, .k = 3, .map = number}).reward;
  };
  EXPECT_EQ(map(1), map(1));
  EXPECT_NE(map(1), map(2));
  EXPECT_THROW(rocksample({.n = 2, .k = 5}), Error);
  EXPECT_THROW(rocksample({.n = 100, .k = 16}), Error);
}

TEST(Lint, FindsWhatIsOdd) {
  const TabularModel plain = rocksample_tables({.n = 2, .k = 1});
  const TableLint none = lint(plain);
  EXPECT_TRUE(none.duplicate.empty());
  EXPECT_TRUE(none.dominated.empty());
  EXPECT_TRUE(none.unreachable.empty());
  TabularModel odd = plain;
  odd.actions += 2;
  for (int i : {0, 1}) {
    odd.transition.push_back(plain.transition[2]);
    odd.observation.push_back(plain.observation[2]);
    odd.names.actions.push_back(i ? "worse" : "again");
  }
  odd.reward.clear();
  for (int s = 0; s < odd.states; ++s) {
    for (int a = 0; a < plain.actions; ++a) odd.reward.push_back(test::reward(plain, s, a));
    odd.reward.push_back(test::reward(plain, s, 2));
    odd.reward.push_back(test::reward(plain, s, 2) - (s == 1));
  }
  odd.initial.assign(odd.states, 0.0);
  odd.initial[odd.states - 1] = 1.0;  // gone, and the rock was good
  const TableLint found = lint(odd);
  ASSERT_EQ(found.duplicate.size(), 1u);
  EXPECT_EQ(found.duplicate[0].action, plain.actions);
  EXPECT_EQ(found.duplicate[0].other, 2);
  ASSERT_EQ(found.dominated.size(), 1u);
  EXPECT_EQ(found.dominated[0].action, plain.actions + 1);
  EXPECT_EQ(found.unreachable.size(), static_cast<std::size_t>(odd.states - 1));
  EXPECT_EQ(found.never_seen, (std::vector<int>{1, 2}));
}

}  // namespace
}  // namespace bpo
