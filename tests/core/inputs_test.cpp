// The sets of distinct columns against std::map.
#include "bpo/core/inputs.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "bpo/core/wire.h"
#include "tests/support/networks.h"

namespace bpo {
namespace {

using Bits = std::vector<std::uint32_t>;

Bits bits_of(const float* x, int dim) {
  Bits out(dim);
  if (dim > 0) std::memcpy(out.data(), x, sizeof(float) * dim);
  return out;
}

/// Few different values, some of which are equal as numbers but not as bits.
std::vector<float> arbitrary_column(int dim) {
  static const std::vector<float> values = {0.0f, -0.0f, 1.0f, 0.5f,
                                            std::numeric_limits<float>::quiet_NaN()};
  return *rc::gen::container<std::vector<float>>(dim, rc::gen::elementOf(values));
}

TEST(HashIndex, TellsKeysOfEqualHashApart) {
  HashIndex index;
  std::vector<int> keys;
  const auto find = [&](int key) {
    const int fresh = static_cast<int>(keys.size());
    const int id = index.find_or_add(42, fresh, [&](int other) { return keys[other] == key; });
    if (id == fresh) keys.push_back(key);
    return id;
  };
  for (int round = 0; round < 2; ++round) {
    for (int key = 0; key < 200; ++key) ASSERT_EQ(find(key), key);  // through several growths
  }
}

RC_GTEST_PROP(ColumnSet, NumbersColumnsAsAMapWould, ()) {
  const int dim = *rc::gen::inRange(0, 19);
  ColumnSet set(dim);
  std::map<Bits, int> reference;
  const int count = *rc::gen::inRange(0, 300);
  for (int i = 0; i < count; ++i) {
    const auto column = arbitrary_column(dim);
    const int expected =
        reference.emplace(bits_of(column.data(), dim), static_cast<int>(reference.size()))
            .first->second;
    RC_ASSERT(set.add(column.data()) == expected);
  }
  RC_ASSERT(set.size() == static_cast<int>(reference.size()));
  for (const auto& [bits, id] : reference) RC_ASSERT(bits_of(set[id], dim) == bits);
}

TEST(ColumnSet, GrowsAndStillFindsEverything) {
  for (int dim : {1, 7, 8, 10, 33}) {
    ColumnSet set(dim);
    const int n = 5000;
    const auto data = test::random_floats(static_cast<std::size_t>(n) * dim, 3 + dim);
    for (int i = 0; i < n; ++i) ASSERT_EQ(set.insert(data.data() + i * dim), i);
    for (int i = 0; i < n; ++i) ASSERT_EQ(set.insert(data.data() + i * dim), i);
    ASSERT_EQ(std::memcmp(set.data(), data.data(), data.size() * sizeof(float)), 0);
  }
}

TEST(ColumnSet, ColumnsThatDifferInOneWordAreDifferent) {
  for (int dim : {1, 4, 8, 9, 17, 40}) {
    ColumnSet set(dim);
    std::vector<float> x(dim, 0.25f);
    set.insert(x.data());
    for (int k = 0; k < dim; ++k) {
      x[k] = std::nextafter(0.25f, 1.0f);
      EXPECT_EQ(set.insert(x.data()), k + 1);
      x[k] = 0.25f;
    }
    EXPECT_EQ(set.insert(x.data()), 0);
  }
}

TEST(ColumnSet, StopsLookingOnlyWhereNothingRepeats) {
  const int n = 3000;
  const auto data = test::random_floats(n, 9);
  ColumnSet fresh(1);
  for (int i = 0; i < 1023; ++i) fresh.add(&data[i]);
  EXPECT_FALSE(fresh.pointless());
  EXPECT_EQ(fresh.add(&data[5]), 5);  // still looks
  for (int i = 1023; i < n; ++i) fresh.add(&data[i]);
  EXPECT_TRUE(fresh.pointless());
  const int before = fresh.size();
  EXPECT_EQ(fresh.add(&data[0]), before);  // a second copy
  EXPECT_EQ(*fresh[before], data[0]);
  EXPECT_EQ(fresh.insert(&data[0]), 0);  // insert() always looks

  ColumnSet repeats(1);
  for (int i = 0; i < n; ++i) repeats.add(&data[i * 4 / 5]);  // a fifth repeats
  EXPECT_FALSE(repeats.pointless());
  EXPECT_EQ(repeats.size(), n * 4 / 5);
}

TEST(ColumnSet, ClearForgets) {
  ColumnSet set(2);
  const float a[] = {1, 2}, b[] = {3, 4};
  set.insert(a);
  set.clear();
  EXPECT_EQ(set.size(), 0);
  EXPECT_EQ(set.insert(b), 0);
  EXPECT_EQ(set.insert(a), 1);
}

TEST(ColumnSet, WithoutDimensionHasOneColumn) {
  ColumnSet set(0);
  for (int i = 0; i < 5000; ++i) ASSERT_EQ(set.add(nullptr), 0);
  EXPECT_EQ(set.size(), 1);
  EXPECT_FALSE(set.pointless());
}

using Pair = std::pair<Bits, Bits>;

Pair pair_at(const Inputs& inputs, int j) {
  return {bits_of(inputs.states[inputs.state_of[j]], inputs.states.dim()),
          bits_of(inputs.beliefs[inputs.belief_of[j]], inputs.beliefs.dim())};
}

/// The numbers of all pairs of a set in another, which takes them over.
std::vector<int> merged(const Inputs& inputs, Inputs& to) {
  Transfer transfer(inputs.view());
  std::vector<int> out;
  for (int j = 0; j < inputs.size(); ++j) out.push_back(transfer.number(j, to));
  return out;
}

RC_GTEST_PROP(Inputs, NumbersAndMergesPairsAsAMapWould, ()) {
  const int states = *rc::gen::inRange(0, 4), beliefs = *rc::gen::inRange(0, 4);
  std::vector<Inputs> parts;
  std::map<Pair, int> reference;
  Inputs whole(states, beliefs);
  for (int part = 0; part < 3; ++part) {
    Inputs& inputs = parts.emplace_back(states, beliefs);
    const int count = *rc::gen::inRange(0, 60);
    for (int i = 0; i < count; ++i) {
      const auto o = arbitrary_column(states), b = arbitrary_column(beliefs);
      const int id = inputs.add(o.data(), b.data());
      RC_ASSERT(pair_at(inputs, id) == Pair(bits_of(o.data(), states), bits_of(b.data(), beliefs)));
    }
    const std::vector<int> number = merged(inputs, whole);
    for (int j = 0; j < inputs.size(); ++j) {
      const int expected =
          reference.emplace(pair_at(inputs, j), static_cast<int>(reference.size())).first->second;
      const int id = number[j];
      RC_ASSERT(id == expected);
      RC_ASSERT(pair_at(whole, id) == pair_at(inputs, j));
    }
  }
  RC_ASSERT(whole.size() == static_cast<int>(reference.size()));
}

TEST(Inputs, WhatIsMergedDoesNotDependOnWhetherTheOtherSetStoppedLooking) {
  // Which thread's set stops looking, and when, is chance: the batch must not show it.
  Inputs part(1, 1), whole(1, 1);
  const auto data = test::random_floats(2000, 4);
  for (float x : data) part.add(&x, &data[0]);
  ASSERT_TRUE(part.states.pointless());
  const int copy = part.add(&data[7], &data[0]);
  ASSERT_EQ(copy, 2000);
  const std::vector<int> number = merged(part, whole);
  for (int j = 0; j < part.size(); ++j) {
    const int id = number[j];
    ASSERT_EQ(id, j == copy ? 7 : j);
    ASSERT_EQ(pair_at(whole, id), pair_at(part, j));
  }
}

TEST(Inputs, ATransferTakesWhatIsAskedForInThatOrderAndOnce) {
  Inputs inputs(1, 2), to(1, 2);
  const auto data = test::random_floats(40, 4);
  for (int i = 0; i < 10; ++i) inputs.add(&data[i / 2], &data[10 + 2 * (i % 3)]);
  Transfer transfer(inputs.view());
  std::vector<int> number;
  for (const int asked : {7, 2, 7, 3, 2, 9}) {
    number.push_back(transfer.number(asked, to));
    EXPECT_EQ(pair_at(to, number.back()), pair_at(inputs, asked));
  }
  EXPECT_EQ(number, (std::vector<int>{0, 1, 0, 2, 1, 3}));
  EXPECT_EQ(to.size(), 4);
  EXPECT_EQ(to.states.size(), 3);
}

TEST(Inputs, ThoseThatCameByWireAreTransferredLikeTheOriginal) {
  Inputs inputs(1, 2), direct(1, 2), by_wire(1, 2), received(1, 2);
  const auto data = test::random_floats(40, 5);
  for (int i = 0; i < 10; ++i) inputs.add(&data[i / 2], &data[10 + 2 * (i % 3)]);
  std::vector<std::byte> bytes;
  Wire out(bytes);
  out(inputs);
  Wire in{std::span<const std::byte>(bytes)};
  in(received);
  EXPECT_EQ(merged(inputs, direct), merged(received, by_wire));
  for (int j = 0; j < direct.size(); ++j) EXPECT_EQ(pair_at(direct, j), pair_at(by_wire, j));
}

TEST(Inputs, ClearForgets) {
  Inputs inputs(1, 1);
  const float x = 1, y = 2;
  inputs.add(&x, &y);
  inputs.clear();
  EXPECT_EQ(inputs.size(), 0);
  EXPECT_EQ(inputs.add(&y, &x), 0);
  EXPECT_EQ(inputs.states.size(), 1);
}

}  // namespace
}  // namespace bpo
