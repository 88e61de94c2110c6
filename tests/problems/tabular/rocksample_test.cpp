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
  EXPECT_EQ(small.observations, 2);
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
  const TabularModel m = rocksample_tables({.n = 2, .k = 1, .map = 3});
  enum { kNorth, kEast, kSouth, kWest, kCheck, kSample };
  const auto state = [](int x, int y, int good) { return (x * 2 + y) * 2 + good; };
  const int gone = 4 * 2;
  EXPECT_EQ(m.initial[state(0, 1, 0)], 0.5);
  EXPECT_EQ(m.initial[state(0, 1, 1)], 0.5);
  EXPECT_EQ(test::entry(m.transition[kNorth], state(0, 0, 1), state(0, 1, 1)), 1.0);
  EXPECT_EQ(test::entry(m.transition[kSouth], state(1, 1, 0), state(1, 0, 0)), 1.0);
  EXPECT_EQ(test::entry(m.transition[kEast], state(0, 1, 0), state(1, 1, 0)), 1.0);
  EXPECT_EQ(test::entry(m.transition[kEast], state(1, 0, 1), gone + 1), 1.0);
  EXPECT_EQ(test::reward(m, state(1, 0, 1), kEast), 10.0);
  EXPECT_EQ(test::reward(m, state(0, 0, 1), kEast), 0.0);
  // Leaving elsewhere is illegal: it costs 100 and ends it.
  for (const auto& [s, a] : {std::pair(state(0, 1, 1), kNorth), std::pair(state(0, 1, 1), kWest),
                             std::pair(state(1, 0, 1), kSouth)}) {
    EXPECT_EQ(test::entry(m.transition[a], s, gone + 1), 1.0);
    EXPECT_EQ(test::reward(m, s, a), -100.0);
  }
  int rock = -1;
  for (int place = 0; place < 4; ++place) {
    if (test::reward(m, place * 2 + 1, kSample) == 10.0) rock = place;
  }
  ASSERT_GE(rock, 0);
  for (int place = 0; place < 4; ++place) {
    for (int good : {0, 1}) {
      const int s = place * 2 + good;
      const bool here = place == rock;
      EXPECT_EQ(test::reward(m, s, kSample), here ? (good ? 10.0 : -10.0) : -100.0);
      EXPECT_EQ(test::entry(m.transition[kSample], s, here ? place * 2 : gone + good), 1.0);
      const double d = std::hypot(place % 2 - rock % 2, place / 2 - rock / 2);
      EXPECT_NEAR(test::entry(m.observation[kCheck], s, good ? 0 : 1),
                  0.5 + 0.5 * std::pow(2.0, -d / 20.0), 1e-15);
      EXPECT_EQ(test::entry(m.observation[kNorth], s, 0), 1.0);
    }
  }
  for (int a = 0; a < m.actions; ++a) {
    EXPECT_EQ(test::entry(m.transition[a], gone, gone), 1.0);
    EXPECT_EQ(test::reward(m, gone, a), 0.0);
  }
}

TEST(RockSample, MapsHaveTheirSensors) {
  // From its place the first rock's check is right with (1 + 2^(-d / d0)) / 2.
  const auto right = [](std::int64_t n, std::int64_t k, double sensor = 0.0) {
    const TabularModel m = rocksample_tables({.n = n, .k = k, .sensor = sensor});
    const int all_good = m.hidden() - 1;
    return test::entry(m.observation[4], static_cast<int>(n / 2) * m.hidden() + all_good, 0);
  };
  const auto expected = [](double x, double y, double d0) {
    return 0.5 + 0.5 * std::pow(2.0, -std::hypot(x, y) / d0);
  };
  EXPECT_NEAR(right(4, 4), 0.5 + 0.5 * std::exp(-std::hypot(3.0, 1.0)), 1e-15);
  EXPECT_NEAR(right(5, 5), expected(2, 2, 4.0), 1e-15);
  EXPECT_NEAR(right(7, 8), expected(2, 3, 20.0), 1e-15);
  EXPECT_NEAR(right(11, 11), expected(0, 2, 20.0), 1e-15);
  EXPECT_NEAR(right(4, 4, 20.0), expected(3, 1, 20.0), 1e-15);
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
  constexpr int kEast = 1;
  const TabularModel plain = rocksample_tables({.n = 2, .k = 1});
  const TableLint none = lint(plain);
  EXPECT_TRUE(none.duplicate.empty());
  EXPECT_TRUE(none.dominated.empty());
  EXPECT_TRUE(none.unreachable.empty());
  TabularModel odd = plain;
  odd.actions += 2;
  for (int i : {0, 1}) {
    odd.transition.push_back(plain.transition[kEast]);
    odd.observation.push_back(plain.observation[kEast]);
    odd.names.actions.push_back(i ? "worse" : "again");
  }
  odd.reward.clear();
  for (int s = 0; s < odd.states; ++s) {
    for (int a = 0; a < plain.actions; ++a) odd.reward.push_back(test::reward(plain, s, a));
    odd.reward.push_back(test::reward(plain, s, kEast));
    odd.reward.push_back(test::reward(plain, s, kEast) - (s == 1));
  }
  odd.initial.assign(odd.states, 0.0);
  odd.initial[odd.states - 1] = 1.0;  // gone, and the rock was good
  const TableLint found = lint(odd);
  ASSERT_EQ(found.duplicate.size(), 1u);
  EXPECT_EQ(found.duplicate[0].action, plain.actions);
  EXPECT_EQ(found.duplicate[0].other, kEast);
  ASSERT_EQ(found.dominated.size(), 1u);
  EXPECT_EQ(found.dominated[0].action, plain.actions + 1);
  EXPECT_EQ(found.unreachable.size(), static_cast<std::size_t>(odd.states - 1));
  EXPECT_EQ(found.never_seen, (std::vector<int>{1}));
}

}  // namespace
}  // namespace bpo
