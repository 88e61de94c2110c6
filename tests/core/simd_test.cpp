// exp and tanh against the library's in double, over dense sweeps of all magnitudes.
#include "bpo/core/simd.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/networks.h"

namespace bpo::simd {
namespace {

float exp1(float x) { return exp(broadcast(x))[3]; }
float tanh1(float x) { return tanh(broadcast(x))[5]; }

/// Distance in units of the last place of the float nearest to `expected`.
double ulps(float value, double expected) {
  const float near = std::abs(static_cast<float>(expected));
  const float above = std::nextafter(near, std::numeric_limits<float>::infinity());
  return std::abs(value - expected) / (double{above} - near);
}

/// Every `stride`-th float from `low` to `high` (same sign, low nearer to zero).
template <class Visit>
void each_float(float low, float high, std::uint32_t stride, Visit visit) {
  const auto end = std::bit_cast<std::uint32_t>(high);
  for (auto i = std::bit_cast<std::uint32_t>(low); i <= end; i += stride) {
    visit(std::bit_cast<float>(i));
  }
  visit(high);
}

TEST(SimdExp, IsWithinTwoUlp) {
  double worst = 0.0;
  const auto check = [&](float x) { worst = std::max(worst, ulps(exp1(x), std::exp(double{x}))); };
  each_float(1e-30f, 88.0f, 997, check);
  each_float(-1e-30f, -87.0f, 997, check);
  check(0.0f);
  EXPECT_LT(worst, 2.0);
  EXPECT_EQ(exp1(0.0f), 1.0f);
}

TEST(SimdExp, SaturatesOutside) {
  const float inf = std::numeric_limits<float>::infinity();
  for (float x : {-87.1f, -100.0f, -1e30f, -inf}) EXPECT_EQ(exp1(x), exp1(-87.0f)) << x;
  for (float x : {88.1f, 100.0f, 1e30f, inf}) EXPECT_EQ(exp1(x), exp1(88.0f)) << x;
  EXPECT_TRUE(std::isfinite(exp1(inf)));
  EXPECT_GE(exp1(-inf), std::numeric_limits<float>::min());  // no denormals
}

TEST(SimdTanh, IsWithinTwoUlp) {
  double worst = 0.0;
  const auto check = [&](float x) {
    worst = std::max(worst, ulps(tanh1(x), std::tanh(double{x})));
  };
  each_float(1e-30f, 30.0f, 997, check);
  each_float(-1e-30f, -30.0f, 997, check);
  each_float(0.6f, 0.65f, 1, check);  // where the two forms meet
  EXPECT_LT(worst, 2.0);
}

TEST(SimdTanh, IsOddAndSaturates) {
  EXPECT_EQ(tanh1(0.0f), 0.0f);
  EXPECT_EQ(tanh1(-0.0f), 0.0f);
  for (float x : {1e-20f, 0.3f, 0.624f, 0.7f, 3.0f, 8.9f}) EXPECT_EQ(tanh1(-x), -tanh1(x)) << x;
  for (float x : {12.0f, 44.0f, 50.0f, 1e10f, std::numeric_limits<float>::infinity()}) {
    EXPECT_EQ(tanh1(x), 1.0f) << x;
    EXPECT_EQ(tanh1(-x), -1.0f) << x;
  }
}

TEST(Simd, NotANumberStaysOne) {
  // A network that has gone wrong must not look healthy.
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(exp1(nan)));
  EXPECT_TRUE(std::isnan(tanh1(nan)));
  EXPECT_TRUE(std::isnan(tanh1(-nan)));
}

TEST(Simd, ResultsDoNotDependOnTheLaneOrTheNeighbours) {
  const auto x = test::random_floats(4000, 1, 3.0);
  for (std::size_t i = 0; i + 8 <= x.size(); i += 3) {
    const Vec e = exp(load(x.data() + i)), t = tanh(load(x.data() + i));
    for (int k = 0; k < kWidth; ++k) {
      ASSERT_EQ(std::bit_cast<std::uint32_t>(float{e[k]}),
                std::bit_cast<std::uint32_t>(exp1(x[i + k])));
      ASSERT_EQ(std::bit_cast<std::uint32_t>(float{t[k]}),
                std::bit_cast<std::uint32_t>(tanh1(x[i + k])));
    }
  }
}

TEST(Simd, FusedMultiplyAddRoundsOnce) {
  const float x = 1.0f + 0x1p-12f;  // its square needs one bit more than a float has
  EXPECT_EQ((float{fma(broadcast(x), broadcast(x), broadcast(-1.0f))[2]}), 0x1p-11f + 0x1p-24f);
  const auto a = test::random_floats(800, 2), b = test::random_floats(800, 3),
             c = test::random_floats(800, 4);
  for (std::size_t i = 0; i < a.size(); i += 8) {
    const Vec got = fma(load(&a[i]), load(&b[i]), load(&c[i]));
    const Vec scaled = fma(load(&a[i]), b[i], load(&c[i]));
    for (int k = 0; k < kWidth; ++k) {
      ASSERT_EQ(float{got[k]}, std::fma(a[i + k], b[i + k], c[i + k]));
      ASSERT_EQ(float{scaled[k]}, std::fma(a[i + k], b[i], c[i + k]));
    }
  }
}

TEST(Simd, PartsLoadAndStoreOnlyTheirShare) {
  const std::vector<float> from = {1, 2, 3, 4, 5, 6, 7, 8};
  for (int n = 0; n <= 8; ++n) {
    const Vec v = load_part(from.data(), n, -1.0f);
    std::vector<float> to(9, 9.0f);
    store_part(to.data(), v, n);
    for (int k = 0; k < 8; ++k) {
      EXPECT_EQ(float{v[k]}, k < n ? from[k] : -1.0f);
      EXPECT_EQ(to[k], k < n ? from[k] : 9.0f);
    }
  }
}

TEST(Simd, SmallFunctions) {
  const Vec a{1, -2, 3, -4, 0.5f, 0, 7, -8}, b{2, -3, 3, 4, -0.5f, 1, -7, 8};
  float total = 0.0f;
  for (int k = 0; k < 8; ++k) {
    EXPECT_EQ(float{min(a, b)[k]}, std::min(float{a[k]}, float{b[k]}));
    EXPECT_EQ(float{max(a, b)[k]}, std::max(float{a[k]}, float{b[k]}));
    EXPECT_EQ(float{abs(a)[k]}, std::abs(float{a[k]}));
    total += a[k];
  }
  EXPECT_EQ(sum(a), total);  // exact: small dyadic numbers
  for (int n = 0; n < 40; ++n) {
    EXPECT_EQ(round_up(n) % 8, 0);
    EXPECT_GE(round_up(n), n);
    EXPECT_LT(round_up(n), n + 8);
  }
}

}  // namespace
}  // namespace bpo::simd
