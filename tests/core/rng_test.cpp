// The generator against a plain Philox4x32-10, that one against the known answers of Random123, and
// the moments of what is drawn.
#include "bpo/core/rng.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <vector>

namespace bpo {
namespace {

using Words = std::array<std::uint32_t, 4>;

/// Salmon et al. 2011, Sec. 3.4, word by word.
Words philox(Words counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = 0xD2511F53ULL * counter[0], b = 0xCD9E8D57ULL * counter[2];
    const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
    const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
    counter = {high(b) ^ counter[1] ^ key[0], low(b), high(a) ^ counter[3] ^ key[1], low(a)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return counter;
}

TEST(Rng, PlainPhiloxGivesTheKnownAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const std::uint32_t f = 0xffffffff;
  EXPECT_EQ(philox({f, f, f, f}, {f, f}), (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

RC_GTEST_PROP(Rng, IsPhiloxOfItsKeys, (std::uint64_t seed, std::uint64_t episode)) {
  const auto step = *rc::gen::arbitrary<std::uint32_t>();
  const auto use = static_cast<Use>(*rc::gen::inRange(1, 8));
  Rng rng(seed, use, episode, step);
  for (std::uint32_t block = 0; block < 3; ++block) {
    const Words expected =
        philox({static_cast<std::uint32_t>(episode), static_cast<std::uint32_t>(episode >> 32),
                step, (static_cast<std::uint32_t>(use) << 24) + block},
               {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
    std::multiset<std::uint32_t> drawn;
    for (int i = 0; i < 4; ++i) drawn.insert(rng.bits());
    RC_ASSERT(drawn == std::multiset<std::uint32_t>(expected.begin(), expected.end()));
  }
}

TEST(Rng, StreamsDiffer) {
  std::set<std::vector<std::uint32_t>> seen;
  int streams = 0;
  for (std::uint64_t seed : {0ULL, 1ULL, 1ULL << 32}) {
    for (int use = 1; use <= 7; ++use) {
      for (std::uint64_t episode : {0ULL, 1ULL, 2ULL, 1ULL << 32}) {
        for (std::uint32_t step : {0u, 1u, 2u}) {
          Rng rng(seed, static_cast<Use>(use), episode, step);
          seen.insert({rng.bits(), rng.bits()});
          ++streams;
        }
      }
    }
  }
  EXPECT_EQ(static_cast<int>(seen.size()), streams);
}

TEST(Rng, EqualKeysGiveEqualNumbers) {
  Rng a(7, Use::kWorld, 3, 9), b(7, Use::kWorld, 3, 9);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(a.normal(), b.normal());
}

TEST(Rng, UniformStaysInsideTheOpenInterval) {
  Rng rng(1, Use::kState, 0);
  double low = 1.0, high = 0.0, sum = 0.0;
  constexpr int kN = 1'000'000;
  for (int i = 0; i < kN; ++i) {
    const double u = rng.uniform();
    low = std::min(low, u);
    high = std::max(high, u);
    sum += u;
  }
  EXPECT_GT(low, 0.0);
  EXPECT_LT(high, 1.0);
  EXPECT_LT(low, 1e-4);
  EXPECT_GT(high, 1.0 - 1e-4);
  // The extreme words themselves.
  EXPECT_GT((0u + 0.5) * 0x1p-32, 0.0);
  EXPECT_LT((std::numeric_limits<std::uint32_t>::max() + 0.5) * 0x1p-32, 1.0);
  EXPECT_NEAR(sum / kN, 0.5, 4.9 / std::sqrt(12.0 * kN));  // false alarm 1e-6
}

TEST(Rng, NormalHasTheMomentsOfANormal) {
  constexpr int kN = 400'000;
  Rng rng(2, Use::kAction, 0);
  std::array<double, 5> moment{};
  double lagged = 0.0, previous = 0.0, beyond = 0.0;
  for (int i = 0; i < kN; ++i) {
    const double x = rng.normal();
    ASSERT_TRUE(std::isfinite(x));
    for (int k = 1; k <= 4; ++k) moment[k] += std::pow(x, k) / kN;
    lagged += x * previous / kN;
    previous = x;
    beyond += std::abs(x) > 1.959963984540054;
  }
  const double z = 4.9 / std::sqrt(kN);  // each line below: false alarm 1e-6
  EXPECT_NEAR(moment[1], 0.0, z);
  EXPECT_NEAR(moment[2], 1.0, z * std::sqrt(2.0));
  EXPECT_NEAR(moment[3], 0.0, z * std::sqrt(15.0));
  EXPECT_NEAR(moment[4], 3.0, z * std::sqrt(96.0));
  EXPECT_NEAR(lagged, 0.0, z);
  EXPECT_NEAR(beyond / kN, 0.05, z * std::sqrt(0.05 * 0.95));
}

TEST(Rng, BelowIsUniform) {
  constexpr int kN = 300'000, kFaces = 6;
  Rng rng(3, Use::kShuffle, 0);
  std::array<int, kFaces> count{};
  for (int i = 0; i < kN; ++i) {
    const int k = rng.below(kFaces);
    ASSERT_GE(k, 0);
    ASSERT_LT(k, kFaces);
    ++count[k];
  }
  for (int k = 0; k < kFaces; ++k) {  // false alarm 1e-6 each
    EXPECT_NEAR(count[k], kN / 6.0, 4.9 * std::sqrt(kN * (1.0 / 6.0) * (5.0 / 6.0)));
  }
}

TEST(Rng, DerivedSeedsAreDistinct) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    for (std::uint64_t purpose = 0; purpose < 10; ++purpose) {
      seen.insert(derive_seed(seed, purpose));
    }
  }
  EXPECT_EQ(seen.size(), 1000u);
}

}  // namespace
}  // namespace bpo
