// The upper bound by points: what is dropped gives its memory back, and bounds stay as they are.
#include "bpo/planners/point_based/sawtooth.h"

#include <gtest/gtest.h>

#include <set>

#include "bpo/core/rng.h"

namespace bpo {
namespace {

constexpr int kKeys = 2, kActions = 3, kHidden = 4;

struct Points {
  Sawtooth sawtooth{kKeys, kActions};
  BeliefPool pool;
  Rng rng{1, Use::kState, 0};

  std::vector<double> belief() {
    std::vector<double> b(kHidden);
    double sum = 0.0;
    for (double& p : b) sum += p = rng.uniform();
    for (double& p : b) p /= sum;
    return b;
  }
  void add(int key, int node) {
    const std::vector<double> b = belief();
    const int n = pool.add({b, {}});
    const std::vector<double> q{5.0 + rng.uniform(), 5.0 + rng.uniform(), 5.0 + rng.uniform()};
    sawtooth.add(key, node, n, pool.view(n), q, 3.0 + rng.uniform());
  }
  double bound(int key, const std::vector<double>& b) const {
    const std::vector<double> q{6.0, 6.1, 6.2};
    double work = 0.0;
    return sawtooth.bound(key, {{b, {}}, b, q, support_of({b, {}})}, pool, 0, 1e9, &work);
  }
};

TEST(Sawtooth, WhatIsDroppedGivesItsMemoryBack) {
  Points p;
  const double empty = p.sawtooth.bytes();
  for (int i = 0; i < 10; ++i) p.add(1, i);
  const double ten = p.sawtooth.bytes() - empty;
  EXPECT_GE(ten, 10 * (sizeof(Sawtooth::Point) + kActions * sizeof(double)));
  const std::vector<double> asked = p.belief();
  const double before = p.bound(1, asked);
  for (int round = 0; round < 50; ++round) {
    for (int i = 0; i < 100; ++i) p.add(0, i);
    // The last one stays, so that what stays is not always at the beginning.
    std::vector<bool> keep(p.sawtooth.size(0));
    keep.back() = true;
    p.sawtooth.keep(0, keep);
  }
  EXPECT_EQ(p.sawtooth.size(0), 1);
  EXPECT_LE(p.sawtooth.bytes() - empty, 4 * ten) << "of 5010 points eleven are left";
  EXPECT_EQ(p.bound(1, asked), before);
}

TEST(Sawtooth, KeepsThoseThatAreToStay) {
  Points all, some;
  std::vector<bool> keep;
  for (int i = 0; i < 200; ++i) {
    all.add(0, i);
    some.add(0, i);
    keep.push_back(i % 7 == 3);
  }
  // What those that stay say alone.
  Points alone;
  for (int i = 0; i < 200; ++i) {
    if (keep[i]) {
      alone.add(0, i);
    } else {
      Points skipped;
      skipped.rng = alone.rng;
      skipped.add(0, i);
      alone.rng = skipped.rng;
    }
  }
  some.sawtooth.keep(0, keep);
  EXPECT_LT(some.sawtooth.bytes(), 0.5 * all.sawtooth.bytes());
  for (int i = 0; i < 50; ++i) {
    const std::vector<double> asked = all.belief();
    EXPECT_EQ(some.bound(0, asked), alone.bound(0, asked));
  }
}

/// Beliefs are told apart by a hash; those that differ by a grain, or in where they are, differ in
/// it.
TEST(BeliefHash, TellsAMillionBeliefsApart) {
  constexpr int kStates = 64, kGrains = 1000;
  std::set<std::uint64_t> hashes;
  BeliefScratch scratch(kStates);
  std::size_t count = 0;
  for (std::uint32_t from = 0; from < kStates; ++from) {
    for (std::uint32_t to = from + 1; to < from + 17; ++to) {
      for (int grain = 0; grain < kGrains; ++grain, ++count) {
        const double p = 0.25 + 0x1p-29 * grain;
        StepMatrix same{.diagonal = true, .value = std::vector<double>(kStates, 1.0)};
        std::vector<double> b(kStates);
        b[from] = p;
        b[to % kStates] = 1.0 - p;
        scratch.advance(same, {b, {}});
        hashes.insert(scratch.hash(0));
      }
    }
  }
  EXPECT_EQ(hashes.size(), count);
}

}  // namespace
}  // namespace bpo
