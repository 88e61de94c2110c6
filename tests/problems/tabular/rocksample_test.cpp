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

/// A map of the literature: its rocks as (x, y), and the distance at which its sensor is worth
/// half.
struct KnownMap {
  int n, k;
  double half_distance;
  std::vector<std::pair<int, int>> rocks;
};

const std::vector<KnownMap>& known_maps() {
  static const std::vector<KnownMap> maps{
      {4, 4, std::log(2.0), {{3, 1}, {2, 1}, {1, 3}, {1, 0}}},
      {5, 5, 4.0, {{2, 4}, {0, 4}, {3, 3}, {2, 2}, {4, 1}}},
      {5, 7, 20.0, {{1, 0}, {2, 1}, {1, 2}, {2, 2}, {4, 2}, {0, 3}, {3, 4}}},
      {7, 8, 20.0, {{2, 0}, {0, 1}, {3, 1}, {6, 3}, {2, 4}, {3, 4}, {5, 5}, {1, 6}}},
      {10,
       10,
       20.0,
       {{0, 3}, {0, 7}, {1, 8}, {3, 3}, {3, 8}, {4, 3}, {5, 8}, {6, 1}, {9, 3}, {9, 9}}},
      {11,
       11,
       20.0,
       {{0, 3}, {0, 7}, {1, 8}, {2, 4}, {3, 3}, {3, 8}, {4, 3}, {5, 8}, {6, 1}, {9, 3}, {9, 9}}}};
  return maps;
}

/// Every check from every place, whatever the rocks are: right with (1 + 2^(-d / d0)) / 2.
TEST(RockSample, EveryRockOfEveryMapIsCheckedAsItShould) {
  for (const KnownMap& map : known_maps()) {
    const TabularModel m = rocksample_tables({.n = map.n, .k = map.k});
    ASSERT_EQ(m.actions, 5 + map.k);
    for (int i = 0; i < map.k; ++i) {
      const SparseRows& check = m.observation[4 + i];
      const auto [x, y] = map.rocks[i];
      for (int place = 0; place < map.n * map.n; ++place) {
        const double d = std::hypot(place / map.n - x, place % map.n - y);
        const double right = 0.5 + 0.5 * std::pow(2.0, -d / map.half_distance);
        for (const int rocks : {0, m.hidden() - 1, 0x555 % m.hidden()}) {
          const bool good = (rocks >> (map.k - 1 - i) & 1) != 0;  // the last changes fastest
          ASSERT_NEAR(test::entry(check, place * m.hidden() + rocks, good ? 0 : 1), right, 1e-12)
              << map.n << "x" << map.k << " rock " << i << " from " << place;
        }
      }
    }
  }
  const TabularModel other = rocksample_tables({.n = 4, .k = 4, .sensor = 20.0});
  EXPECT_NEAR(test::entry(other.observation[4], 2 * 16 + 15, 0),
              0.5 + 0.5 * std::pow(2.0, -std::hypot(3.0, 1.0) / 20.0), 1e-15);
}

/// Rocks lie where sampling pays, and one that was sampled is bad.
TEST(RockSample, RocksLieWhereTheMapsHaveThem) {
  constexpr int kAllBad = 0;
  for (const KnownMap& map : known_maps()) {
    const TabularModel m = rocksample_tables({.n = map.n, .k = map.k});
    const int sample = m.actions - 1, all_good = m.hidden() - 1;
    for (int place = 0; place < map.n * map.n; ++place) {
      int rock = -1;
      for (int i = 0; i < map.k; ++i) {
        if (map.rocks[i] == std::pair(place / map.n, place % map.n)) rock = i;
      }
      const int good = place * m.hidden() + all_good, bad = place * m.hidden() + kAllBad;
      EXPECT_EQ(test::reward(m, good, sample), rock < 0 ? -100.0 : 10.0);
      EXPECT_EQ(test::reward(m, bad, sample), rock < 0 ? -100.0 : -10.0);
      if (rock < 0) continue;
      EXPECT_EQ(test::entry(m.transition[sample], good, good - (1 << (map.k - 1 - rock))), 1.0);
    }
  }
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
