// The action distributions against their formulas in double, numerical integration and frequencies.
#include "bpo/nn/heads.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "bpo/nn/kernels.h"
#include "tests/support/networks.h"

namespace bpo {
namespace {

using kernels::kColumns;
using test::random_floats;

TEST(Softmax, EveryColumnIsTheSoftmax) {
  for (int actions : {1, 2, 3, 7}) {
    for (int n : {8, 16, 64}) {
      const auto logits = random_floats(actions * kColumns, actions + n, 5.0);
      auto p = logits;
      softmax(actions, n, p.data());
      for (int j = 0; j < kColumns; ++j) {
        double total = 0.0;
        for (int a = 0; a < actions; ++a) total += std::exp(double{logits[a * kColumns + j]});
        for (int a = 0; a < actions; ++a) {
          const int i = a * kColumns + j;
          if (j >= n) {
            ASSERT_EQ(p[i], logits[i]);
          } else {
            const double expected = std::exp(double{logits[i]}) / total;
            ASSERT_NEAR(p[i], expected, 2e-6 * expected + 1e-30);
          }
        }
      }
    }
  }
}

TEST(Softmax, HugeLogitsStayFinite) {
  std::vector<float> p(3 * kColumns, 0.0f);
  p[0] = 3e38f;
  p[1] = -3e38f;
  p[2 * kColumns + 2] = 1000.0f;
  softmax(3, 8, p.data());
  EXPECT_EQ(p[0], 1.0f);
  EXPECT_NEAR(p[kColumns + 1], 0.5, 1e-6);
  EXPECT_EQ(p[2 * kColumns + 2], 1.0f);
  for (float x : p) EXPECT_TRUE(std::isfinite(x));
}

TEST(Softmax, ANanIsSeen) {
  std::vector<float> p(3 * kColumns, 0.0f);
  p[kColumns] = std::nanf("");
  softmax(3, 8, p.data());
  EXPECT_TRUE(std::isnan(p[0]) && std::isnan(p[kColumns]));
  EXPECT_NEAR(p[1], 1.0 / 3.0, 1e-6);
}

/// Two distributions in columns 3 and 5 of a block.
struct TwoColumns {
  std::vector<float> block;
  const float *p, *q;
  explicit TwoColumns(int rows, std::uint64_t seed) : block(random_floats(rows * kColumns, seed)) {
    p = block.data() + 3;
    q = block.data() + 5;
  }
};

TEST(Categorical, KlAndEntropy) {
  const int n = 4;
  TwoColumns x(n, 1);
  softmax(n, 8, x.block.data());
  double kl = 0.0, entropy = 0.0;
  for (int a = 0; a < n; ++a) {
    const double p = x.p[a * kColumns], q = x.q[a * kColumns];
    kl += p * std::log(p / q);
    entropy -= p * std::log(p);
  }
  EXPECT_NEAR(categorical_kl(n, x.p, x.q), kl, 1e-12);
  EXPECT_NEAR(categorical_entropy(n, x.p), entropy, 1e-12);
  EXPECT_GT(kl, 0.01);
  EXPECT_EQ(categorical_kl(n, x.p, x.p), 0.0);
}

TEST(Categorical, ZeroProbabilities) {
  std::vector<float> block(2 * kColumns, 0.0f);
  block[0] = 1.0f;             // (1, 0)
  block[kColumns + 1] = 1.0f;  // (0, 1)
  EXPECT_EQ(categorical_kl(2, block.data(), block.data()), 0.0);
  EXPECT_EQ(categorical_entropy(2, block.data()), 0.0);
  const double apart = categorical_kl(2, block.data(), block.data() + 1);
  EXPECT_TRUE(std::isfinite(apart));
  EXPECT_GT(apart, 50.0);
}

TEST(Categorical, SamplesWithTheStatedProbabilities) {
  const std::array<float, 4> p = {0.1f, 0.0f, 0.6f, 0.3f};
  constexpr int kN = 200'000;
  std::array<int, 4> count{};
  for (int i = 0; i < kN; ++i) {
    Rng rng(1, Use::kAction, i);
    ++count[sample_index(p, rng)];
  }
  EXPECT_EQ(count[1], 0);
  for (int a = 0; a < 4; ++a) {  // false alarm 1e-6 each
    EXPECT_NEAR(count[a], kN * p[a], 4.9 * std::sqrt(kN * p[a] * (1.0 - p[a]) + 1e-9) + 1e-6 * kN);
  }
  EXPECT_EQ(most_probable(p), 2);
  EXPECT_EQ(most_probable(std::array{0.5f, 0.5f}), 0);
}

TEST(Categorical, ProbabilitiesThatSumToLessThanOneStillGiveAnAction) {
  const std::array<float, 2> p = {0.3f, 0.3f};
  for (int i = 0; i < 1000; ++i) {
    Rng rng(2, Use::kAction, i);
    const int a = sample_index(p, rng);
    ASSERT_TRUE(a == 0 || a == 1);
  }
}

TEST(Gaussian, LogDensityIntegratesToOneAndFollowsTheFormula) {
  TwoColumns x(2, 3);
  const std::array<float, 2> log_std = {-0.7f, 0.4f};
  const Spread sd(log_std);
  double total = 0.0, first = 0.0;
  const double h = 0.04;
  for (double u = -12.0; u < 12.0; u += h) {
    for (double w = -12.0; w < 12.0; w += h) {
      const float a[2] = {static_cast<float>(u), static_cast<float>(w)};
      const double p = std::exp(gaussian_log_density(sd, x.p, a)) * h * h;
      total += p;
      first += p * u;
    }
  }
  EXPECT_NEAR(total, 1.0, 1e-4);
  EXPECT_NEAR(first, x.p[0], 1e-3);
  const float at[2] = {0.3f, -1.2f};
  double expected = 0.0;
  for (int i = 0; i < 2; ++i) {
    const double s = std::exp(double{log_std[i]}), z = (at[i] - double{x.p[i * kColumns]}) / s;
    expected += -0.5 * z * z - std::log(s) - 0.5 * std::log(2.0 * std::numbers::pi);
  }
  EXPECT_NEAR(gaussian_log_density(sd, x.p, at), expected, 1e-6);
}

TEST(Gaussian, KlAndEntropyAreTheirIntegrals) {
  TwoColumns x(1, 4);
  const Spread p(std::array{-0.3f}), q(std::array{0.5f});
  double kl = 0.0, entropy = 0.0;
  const double h = 1e-3;
  for (double u = -15.0; u < 15.0; u += h) {
    const float a = static_cast<float>(u);
    const double lp = gaussian_log_density(p, x.p, &a);
    kl += std::exp(lp) * (lp - gaussian_log_density(q, x.q, &a)) * h;
    entropy -= std::exp(lp) * lp * h;
  }
  EXPECT_NEAR(gaussian_kl(p, x.p, q, x.q), kl, 1e-4);
  EXPECT_NEAR(gaussian_entropy(p), entropy, 1e-4);
}

TEST(Gaussian, DimensionsAdd) {
  TwoColumns x(3, 5);
  const std::array<float, 3> p = {-0.2f, 0.1f, 0.9f}, q = {0.3f, 0.0f, -0.5f};
  double kl = 0.0, entropy = 0.0;
  for (int i = 0; i < 3; ++i) {
    const Spread p_i(std::span(&p[i], 1)), q_i(std::span(&q[i], 1));
    kl += gaussian_kl(p_i, x.p + i * kColumns, q_i, x.q + i * kColumns);
    entropy += gaussian_entropy(p_i);
  }
  EXPECT_NEAR(gaussian_kl(Spread(p), x.p, Spread(q), x.q), kl, 1e-12);
  EXPECT_NEAR(gaussian_entropy(Spread(p)), entropy, 1e-12);
  EXPECT_NEAR(gaussian_kl(Spread(p), x.p, Spread(p), x.p), 0.0, 1e-12);
}

}  // namespace
}  // namespace bpo
